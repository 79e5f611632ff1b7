"""A form that is refused keeps what was typed: only the sentence comes back, and the page stays as it is."""

from __future__ import annotations


def test_a_refused_form_swaps_the_sentence_and_leaves_the_room(visitor):
    answer = visitor.post("/studio/data/source", holdout_share="a tenth")
    assert answer.status_code == 422
    assert answer.headers["hx-reswap"] == "none"
    assert "must be a number such as 0.1" in answer.text
    assert 'id="notices"' in answer.text
    assert 'id="room"' not in answer.text
    assert 'id="yaml"' not in answer.text


def test_an_accepted_form_is_swapped_as_ever(visitor):
    answer = visitor.post("/studio/data/source", holdout_share="0.1")
    assert answer.status_code == 200
    assert "hx-reswap" not in answer.headers
    assert 'id="room"' in answer.text


def test_a_text_that_came_too_late_stays_in_its_field(visitor):
    """The page is drawn as it is now; what was typed is still there, with the text that came first beside it."""
    visitor.post("/studio/frame/text", text="name: first\n")
    answer = visitor.post("/studio/frame/text", text="name: <typed> & late\n", revision="1")
    assert answer.status_code == 409
    assert "edited elsewhere" in answer.text
    assert "name: &lt;typed&gt; &amp; late\n</textarea>" in answer.text
    assert "<code>name: first</code>" in answer.text
    assert "not taken over yet" in answer.text
    assert visitor.workbench.profile_text.at(("name",)) == "first"


def test_without_script_a_late_text_stays_too(visitor):
    visitor.post("/studio/frame/text", text="name: first\n")
    answer = visitor.post("/studio/frame/text", partial=False, text="name: late\n", revision="1")
    assert answer.status_code == 303
    page = visitor.get("/studio/data").text
    assert "name: late\n</textarea>" in page
    assert "not taken over yet" in page
    assert "name: late\n</textarea>" not in visitor.get("/studio/data").text
