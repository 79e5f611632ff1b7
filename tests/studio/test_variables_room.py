"""The room Variables: roles and types are edited in place, and the numbers beside them follow."""

from __future__ import annotations

import re


def risk(visitor) -> str:
    for _ in range(60):
        text = visitor.get("/studio/variables/part/risk", headers={"hx-request": "true"}).text
        if "every 1s" not in text:
            return text
    raise AssertionError("the numbers never came")


def test_each_variable_has_role_type_counts_picture_and_reason(visitor):
    visitor.workbench.found()
    page = visitor.get("/studio/variables").text
    assert page.count('aria-label="Role of ') == 20
    row = re.search(r'<tr id="variable-6".*?</tr>', page, re.DOTALL)[0]
    assert "age" in row
    assert "demography that others know" in row
    assert "<svg" in row
    assert 'value="quasi_identifier" selected' in row
    assert ">99" in row


def test_a_role_changed_in_the_table_is_one_edit_of_the_text(visitor):
    text = visitor.workbench.profile_text
    visitor.post("/studio/variables/declare", **{"role:education": "other", "type:education": "categorical"})
    assert text.at(("variables", "education")) == "other"
    line = next(line for line in text.text.splitlines() if line.startswith("  education:"))
    assert "# visible to others" in line
    assert len(text.before) == 1


def test_a_table_that_says_what_is_written_changes_nothing(visitor):
    page = visitor.get("/studio/variables").text
    fields = {}
    for name, options in re.findall(
        r'<select[^>]*name="((?:role|type|per):[^"]+)"[^>]*>(.*?)</select>', page, re.DOTALL
    ):
        chosen = re.search(r'<option(?: value="([^"]*)")? selected>([^<]*)', options)
        fields[name] = chosen[1] or chosen[2]
    fields |= dict.fromkeys(re.findall(r'<(?:input|textarea)[^>]*name="([\w]+:[^"]+)"', page), "")
    assert len(fields) > 100
    visitor.post("/studio/variables/declare", **fields)
    assert visitor.workbench.profile_text.revision == 1


def test_labels_units_and_words_are_written_and_taken_back(visitor):
    text = visitor.workbench.profile_text
    visitor.post("/studio/variables/declare", **{"label:income": "Net income", "unit:income": "euro"})
    assert text.at(("variables", "income")) == {
        "role": "sensitive",
        "type": "numeric",
        "label": "Net income",
        "unit": "euro",
    }
    visitor.post("/studio/variables/declare", **{"label:income": ""})
    assert "label" not in text.at(("variables", "income"))
    visitor.post("/studio/variables/declare", **{"values:found_work": "0 = no\n1 = yes"})
    assert text.at(("variables", "found_work", "values")) == {"0": "no", "1": "yes"}


def test_an_ordinal_variable_gets_an_order_to_correct(visitor):
    visitor.workbench.found()
    answer = visitor.post("/studio/variables/declare", **{"type:health": "ordinal"})
    assert "read it and correct it" in answer.text
    order = visitor.workbench.profile_text.at(("variables", "health", "order"))
    assert len(order) == 5
    visitor.post("/studio/variables/declare", **{"type:health": "categorical"})
    assert visitor.workbench.profile_text.at(("variables", "health")) == {"role": "sensitive"} or (
        visitor.workbench.profile_text.at(("variables", "health")) == "sensitive"
    )


def test_many_variables_get_one_role_at_once(visitor):
    answer = visitor.post("/studio/variables/many", chosen=["income", "wealth"], role_of_many="other")
    assert "2 variables have the role other now." in answer.text
    text = visitor.workbench.profile_text
    assert text.at(("variables", "income", "role")) == text.at(("variables", "wealth", "role")) == "other"
    visitor.post("/studio/frame/undo")
    assert text.at(("variables", "wealth", "role")) == "sensitive"


def test_a_role_nobody_knows_is_refused(visitor):
    assert visitor.post("/studio/variables/declare", **{"role:age": "boss"}).status_code == 422
    assert visitor.post("/studio/variables/many", role_of_many="other").status_code == 422


def test_the_numbers_follow_the_keys_and_say_what_they_were(visitor):
    assert "5,286" in risk(visitor)
    place = visitor.workbench.workplace()
    visitor.post("/studio/variables/declare", **{"role:education": "other"})
    text = risk(visitor)
    assert "before 5,286" in text
    assert "Riskiest together:" in text
    # Other roles of released variables read nothing anew.
    assert visitor.workbench.workplace() is place
    visitor.post("/studio/variables/declare", **{"role:occupation": "dropped"})
    assert visitor.workbench.workplace() is not place


def test_faults_of_the_data_stand_at_their_variable(visitor):
    visitor.post("/studio/variables/declare", **{"type:region": "numeric"})
    text = risk(visitor)
    assert "did not work" in text
    page = visitor.get("/studio/variables").text
    row = re.search(r'<tr id="variable-3".*?</tr>', page, re.DOTALL)[0]
    assert "Fault" in row
    assert "is-key faulty" in row


def test_variables_of_one_role_can_be_shown_alone(visitor):
    page = visitor.get("/studio/variables?role=weight").text
    assert page.count('aria-label="Role of ') == 1
