//! Histories in which something is wrong.

use super::histories;

histories! {
    a_search_after_the_acknowledgement_lacks_them: "create ana 1..2 ok; search an 3..4" => "search-misses-acknowledged";
    a_search_that_began_with_the_acknowledgement_lacks_them: "create ana 1..2 ok; search an 2..3" => "search-misses-acknowledged";
    a_probe_does_not_find_itself: "probe ana 1..2 ok; ask ana 2..3" => "search-misses-acknowledged";
    one_of_several_is_missing: "create ana 1..2 ok; create bia 1..2 ok; search a 3..4 bia" => "search-misses-acknowledged";
    a_search_that_lists_fewer_than_there_are_and_is_not_full: "create ana 1..2 ok; create bia 1..2 ok; create cia 1..2 ok; create dia 1..2 ok; search a 3..4 bia dia" => "search-misses-acknowledged";
    a_stale_search_between_two_right_ones: "create ana 1..2 ok; search an 3..4 ana; search an 5..6; search an 7..8 ana" => "search-misses-acknowledged";
    a_row_is_lost_for_good: "create ana 1..2 ok; search an 3..4 ana; search an 5..6; count 0" => "count-differs, search-misses-acknowledged";
    a_free_row_that_was_created_is_not_found: "create ana? 1..2 ok; search an 5..6" => "search-misses-acknowledged";
    a_row_without_an_identity_is_not_found: "create ana 1..2 ok#none; search an 3..4" => "search-misses-acknowledged";
    a_wrong_list_still_lacks_them: "create ana 1..2 ok; create bob 1..2 ok; search an 3..4 phantom bob" => "search-misses-acknowledged, search-phantom";
    a_list_that_could_not_be_read_lacks_nobody: "create ana 1..2 ok; search an 3..4 unreadable" => "search-phantom";
    somebody_of_unknown_effect_is_found_and_forgotten: "create ana 1..2 timeout; search an 5..6 ana; search an 7..8; count 1" => "search-forgets (operations-failed, kept-without-answer, stressed)";
    somebody_is_found_before_the_acknowledgement_and_forgotten: "create ana 1..20 ok; search an 5..6 ana; search an 7..8; search an 30..31 ana" => "search-forgets";
    somebody_is_read_and_forgotten_by_a_search: "create ana 1..2 ok; read ana 3..4 ok; search an 5..6" => "search-misses-acknowledged";
    one_who_was_missed_and_another_who_was_forgotten: "create ana 1..2 ok; create eva 1..2 timeout; search v 3..4 eva; search a 5..6; count 1" => "search-misses-acknowledged, search-forgets (operations-failed, stressed)";
    a_read_denies_what_was_acknowledged: "create ana 1..2 ok; read ana 3..4 404" => "read-misses-acknowledged";
    a_read_denies_it_with_another_status: "create ana 1..2 ok; read ana 3..4 400" => "read-misses-acknowledged";
    a_read_is_sent_elsewhere: "create ana 1..2 ok; read ana 3..4 302" => "unexpected-status";
    a_read_is_refused_in_haste: "create ana 1..2 ok; read ana 3..4 429" => "unexpected-status";
    a_read_gives_somebody_else: "create ana 1..2 ok; read ana 3..4 differs" => "read-differs";
    nobody_ever_sent_them: "search an 3..4 ana" => "search-unknown-person";
    they_are_found_before_they_are_sent: "search an 3..4 ana; create ana 5..6 ok" => "search-unknown-person";
    their_creation_never_left: "create ana 1..2 unsent; search an 3..4 ana" => "search-unknown-person (operations-failed, stressed)";
    they_are_found_with_another_identity: "create ana 1..2 ok#1; search an 3..4 ana#2" => "search-unknown-person";
    two_have_swapped_their_bodies: "create ana 1..2 ok#1; create bia 1..2 ok#2; search a 3..4 ana#2 bia#1" => "search-unknown-person";
    one_identity_is_given_to_two: "create ana 1..2 ok#1; create bia 3..4 ok#1; search a 5..6 ana#1 bia#1" => "identity-given-twice";
    one_identity_is_given_to_a_probe_and_another: "create ana 1..2 ok#1; probe bia 3..4 ok#1" => "identity-given-twice";
    one_identity_is_given_to_two_of_a_key_and_to_another: "create ana 1..2 ok#1; create ana/2 3..4 ok#1; create bia 5..6 ok#1" => "created-twice, identity-given-twice";
    one_identity_is_given_to_two_of_a_key: "create ana 1..2 ok#1; create ana/2 3..4 ok#1" => "created-twice";
    an_identity_has_fields_that_nobody_sent: "create ana 1..2 ok#1; search an 3..4 anna#1" => "search-unknown-person";
    one_identity_has_two_faces: "create ana 1..2 timeout; create bia 1..2 timeout; search an 3..4 ana#9; search bi 5..6 bia#9; count 2" => "search-unknown-person (operations-failed, kept-without-answer, stressed)";
    one_row_has_two_identities: "create ana 1..2 timeout; search an 3..4 ana#8; search an 5..6 ana#9; count 1" => "search-unknown-person (operations-failed, kept-without-answer, stressed)";
    a_refused_row_is_found: "create ana! 1..2 422; search an 5..6 ana!; count 1" => "count-differs, refused-but-kept";
    a_refused_duplicate_is_found_beside_the_first: "create ana 1..2 ok; create ana/2 3..4 422; search an 5..6 ana ana/2; count 2" => "count-differs, refused-but-kept";
    a_row_refused_with_another_status_is_found: "create ana 1..2 409; search an 5..6 ana; count 1" => "count-differs, refused-but-kept, unexpected-status";
    a_failed_row_is_found: "create ana 1..2 500; search an 5..6 ana; count 1" => "valid (failed-but-kept, operations-failed, kept-without-answer, stressed)";
    a_row_that_was_unavailable_is_found: "create ana 1..2 503; search an 5..6 ana; count 1" => "valid (failed-but-kept, operations-failed, kept-without-answer, stressed)";
    one_key_is_acknowledged_twice: "create ana 1..2 ok; create ana/2 3..4 ok; search an 5..6 ana ana/2" => "created-twice";
    one_key_is_acknowledged_twice_at_once: "create ana 1..9 ok; create ana/2 2..8 ok" => "created-twice";
    the_same_row_is_acknowledged_twice: "create ana 1..2 ok; create ana 3..4 ok" => "created-twice";
    the_second_overwrites_the_first: "create ana 1..2 ok; create ana/2 3..4 ok; search an 5..6 ana/2; count 1" => "count-differs, created-twice";
    a_valid_row_is_refused_before_its_rival_is_sent: "create ana 1..2 422; create ana/2 3..4 ok" => "refused-without-duplicate";
    a_valid_row_is_refused_after_its_rival_was: "create ana! 1..2 422; create ana/2 3..4 422; create ana/3 5..6 ok" => "refused-without-duplicate";
    a_valid_row_without_a_rival_is_refused: "create ana 1..2 422" => "valid-person-refused";
    all_of_a_key_are_refused_one_after_another: "create ana 1..2 422; create ana/2 3..4 422" => "refused-without-duplicate";
    a_refusal_proves_what_a_search_then_lacks: "create ana 1..2 timeout; create ana/2 3..4 422; search an 5..6" => "not-linearizable (operations-failed, stressed)";
    a_refusal_proves_what_another_acknowledgement_denies: "create ana 1..2 timeout; create ana/2 3..4 422; create ana/3 5..6 ok" => "not-linearizable (operations-failed, stressed)";
    a_key_is_acknowledged_though_another_was_found_there: "create ana 1..2 timeout; search an 3..4 ana; create ana/2 5..6 ok; count 1" => "not-linearizable (operations-failed, stressed)";
    two_of_a_key_are_found: "create ana 1..2 timeout; create ana/2 1..2 timeout; search an 5..6 ana ana/2; count 2" => "not-linearizable (operations-failed, kept-without-answer, stressed)";
    an_invalid_row_is_created: "create ana! 1..2 ok; search an 3..4" => "invalid-person-accepted";
}
