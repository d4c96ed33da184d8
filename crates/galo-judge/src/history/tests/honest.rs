//! Histories of contenders that did nothing wrong, however it looks.

use super::histories;

histories! {
    nothing_happened: "" => "valid";
    whoever_was_created_is_found: "create ana 1..2 ok; search an 3..4 ana" => "valid";
    whoever_was_created_is_read: "create ana 1..2 ok; read ana 3..4 ok" => "valid";
    a_search_beside_the_acknowledgement_may_lack_them: "create ana 1..5 ok; search an 4..8" => "valid";
    a_search_beside_the_acknowledgement_may_list_them: "create ana 1..5 ok; search an 4..8 ana" => "valid";
    a_search_may_list_whose_creation_is_still_under_way: "create ana 1..9 ok; search an 2..3 ana" => "valid";
    a_search_may_list_whose_creation_began_while_it_was_under_way: "search an 1..9 ana#1; create ana 8..12 ok" => "valid";
    a_search_that_began_just_before_the_acknowledgement_may_lack_them: "create ana 1..5 ok; search an 4.999999..9" => "valid";
    two_searches_at_once_may_disagree: "create ana 1..20 ok; search an 2..9 ana; search an 3..8" => "valid";
    a_later_end_does_not_make_a_search_later: "create ana 1..20 ok; search an 2..5 ana; search an 4..30" => "valid";
    a_search_that_does_not_match_lists_nobody: "create ana 1..2 ok; search x 3..4" => "valid";
    a_full_list_may_leave_anybody_out: "create ana 1..2 ok; create bia 1..2 ok; create cia 1..2 ok; create dia 1..2 ok; search a 3..4 bia cia dia" => "valid";
    a_list_may_be_more_than_full: "create ana 1..2 ok; create bia 1..2 ok; create cia 1..2 ok; create dia 1..2 ok; search a 3..4 ana bia cia dia" => "valid";
    a_full_list_of_which_not_all_is_kept_may_leave_anybody_out: "create ana 1..2 ok; create bia 1..2 ok; search a 3..4 bia more more" => "valid";
    a_full_list_may_leave_out_whom_another_one_had: "create ana 1..2 ok; create bia 1..2 ok; create cia 1..2 ok; create dia 1..2 ok; search a 3..4 bia cia dia; search a 5..6 ana bia cia" => "valid";
    a_timed_out_creation_may_never_have_happened: "create ana 1..2 timeout; search an 9..10" => "valid (operations-failed, stressed)";
    a_timed_out_creation_may_have_happened: "create ana 1..2 timeout; search an 9..10 ana; search an 11..12 ana; count 1" => "valid (operations-failed, kept-without-answer, stressed)";
    a_timed_out_creation_may_happen_long_after: "create ana 1..2 timeout; search an 9..10; search an 90..91 ana; count 1" => "valid (operations-failed, kept-without-answer, stressed)";
    a_gateway_s_502_says_nothing: "create ana 1..2 502; search an 9..10 ana; count 1" => "valid (operations-failed, kept-without-answer, stressed)";
    a_gateway_s_504_says_nothing: "create ana 1..2 504; search an 9..10" => "valid (operations-failed, stressed)";
    a_creation_that_was_cut_may_be_told_as_a_duplicate_of_itself: "create ana 1..2 timeout; create ana/2 5..6 422; search an 9..10 ana; count 1" => "valid (operations-failed, kept-without-answer, stressed)";
    a_creation_that_failed_leaves_nothing: "create ana 1..2 500; search an 9..10" => "valid (operations-failed, stressed)";
    a_creation_that_was_never_sent_leaves_nothing: "create ana 1..2 unsent; search an 9..10" => "valid (operations-failed, stressed)";
    a_failed_search_shows_nothing: "create ana 1..2 ok; search an 3..4 500; search an 3..4 timeout" => "valid (operations-failed, stressed)";
    a_failed_read_denies_nothing: "create ana 1..2 ok; read ana 3..4 503" => "valid (operations-failed, stressed)";
    a_duplicate_after_the_acknowledgement_is_refused: "create ana 1..2 ok; create ana/2 3..4 422; search an 5..6 ana" => "valid";
    of_two_at_once_the_later_sent_may_win: "create ana 1..9 422; create ana/2 3..7 ok; search an 10..11 ana/2" => "valid";
    of_two_at_once_one_may_be_refused_before_the_other_is_answered: "create ana 1..20 ok; create ana/2 2..3 422" => "valid";
    of_many_at_once_one_wins: "create ana 1..9 422; create ana/2 1..9 422; create ana/3 1..9 ok; create ana/4 1..9 422" => "valid";
    an_unknown_one_may_be_why_another_is_refused: "create ana 1..2 timeout; create ana/2 3..4 422; create ana/3 5..6 422; count 1" => "valid (operations-failed, kept-without-answer, stressed)";
    an_unknown_one_may_come_after_another_of_its_key: "create ana 1..2 timeout; create ana/2 3..4 ok; search an 5..6 ana/2" => "valid (operations-failed, stressed)";
    a_key_may_be_held_while_another_creation_is_checked: "create ana 1..5 500; create ana/2 2..3 422; search an 9..10" => "valid (operations-failed, stressed)";
    a_row_may_be_refused_after_its_rival_failed: "create ana 1..2 500; create ana/2 3..4 422" => "valid (operations-failed, stressed)";
    a_key_may_be_held_while_an_invalid_row_is_checked: "create ana! 1..5 422; create ana/2 2..3 422; create ana/3 7..8 ok" => "valid";
    an_invalid_row_is_refused_and_not_there: "create ana! 1..2 422; search an 5..6" => "valid";
    a_free_row_may_be_refused: "create ana? 1..2 422; search an 5..6" => "valid";
    a_free_row_may_be_created_and_is_found: "create ana? 1..2 ok; search an 5..6 ana?" => "valid";
    a_free_row_may_be_refused_though_its_key_is_free: "create ana? 1..2 400; create ana/2 5..6 ok" => "valid";
    an_invalid_row_does_not_take_the_key: "create ana! 1..2 422; create ana/2 3..4 ok; create ana/3 5..6 422" => "valid";
    a_probe_finds_itself: "probe ana 1..2 ok; ask ana 2..3 ana" => "valid";
    a_probe_whose_creation_failed_is_not_asked: "probe ana 1..2 500" => "valid (operations-failed)";
    equal_rows_are_one_thing: "create ana 1..2 ok; create ana 3..4 422; search an 5..6 ana#1" => "valid";
    a_row_without_an_identity_is_known_by_its_fields: "create ana 1..2 ok#none; search an 3..4 ana#77; search an 5..6 ana#77" => "valid";
    an_unknown_row_keeps_the_identity_that_it_was_seen_with: "create ana 1..2 timeout; search an 3..4 ana#77; search an 5..6 ana#77; count 1" => "valid (operations-failed, kept-without-answer, stressed)";
    letters_decide_whom_a_search_lists: "create ana 1..2 ok; create bia 1..2 ok; search b 3..4 bia; search an 3..4 ana; search a 3..4 bia ana" => "valid";
    a_list_that_was_longer_than_kept_is_told_as_unknown: "create ana 1..2 ok; search a 3..4 more" => "valid (history-unjudged)";
}
