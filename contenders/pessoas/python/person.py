"""What a valid person is."""

from datetime import date
from typing import Annotated

import orjson
from pydantic import AfterValidator, BaseModel, StringConstraints, ValidationError


class Refused(Exception):
    """A body that is no valid person, and the status that says why."""

    def __init__(self, status):
        self.status = status


def existing(text):
    date.fromisoformat(text)
    return text


# Lengths are counted in characters. PostgreSQL keeps no NUL in a text.
NO_NUL = r"^[^\x00]*$"
ShortText = Annotated[str, StringConstraints(min_length=1, max_length=32, pattern=NO_NUL)]
LongText = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=NO_NUL)]
# `fromisoformat` alone would also take 20000131 and 2000-W05-1.
DateText = Annotated[str, StringConstraints(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$"), AfterValidator(existing)]


class NewPerson(BaseModel):
    """Field names are the contest's."""

    apelido: ShortText
    nome: LongText
    nascimento: DateText
    stack: list[ShortText] | None = None


def read(body):
    """The person of a body: `Refused` with 400 for broken JSON or a wrong type, 422 for a value that breaks a rule."""
    try:
        return NewPerson.model_validate(orjson.loads(body))
    except orjson.JSONDecodeError:
        raise Refused(400) from None
    except ValidationError as invalid:
        wrong_type = any(map(is_wrong_type, invalid.errors(include_url=False, include_context=False)))
        raise Refused(400 if wrong_type else 422) from None


def is_wrong_type(error):
    """Null is a value that breaks a rule, but for a body that is null as a whole."""
    if error["type"] in ("string_type", "list_type"):
        return error["input"] is not None
    return error["type"] == "model_type"
