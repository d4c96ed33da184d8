# The controller reads bodies itself, as JSON whatever `Content-Type` says. Rails would also drop each null from an array, and an
# invalid stack would become a valid one.
ActionDispatch::Request.parameter_parsers = {}
