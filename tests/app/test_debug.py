"""The page Debug under AppTest, and the bench behind it: what acts do, what is sent, what is refused."""

import base64
import json
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import attnviz
from attnviz.symptoms import symptoms
from attnviz.tasks import Captioner, Entailment, Translator
from bench import Bench
from debugger.payload import payload

PAGE = Path(__file__).parents[2] / "app" / "views" / "debug.py"
TEXT = "Les personnes âgées ont des difficultés à comprendre la technologie moderne."


@pytest.fixture
def bench(translator: Translator) -> Bench:
    session = translator.session(TEXT)
    session.follow(translator(TEXT).token_ids.tolist())
    return Bench([session])


def numbers(text: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), "<f4")


def test_moving_attention_mends_a_translation(bench: Bench) -> None:
    """The case of the closing note: the adjective was not read, and is said once it is."""
    assert bench.session.trace.text.endswith("understanding technology technology.")
    step = 8
    weights = [0.0] * bench.session.positions
    weights[bench.session.trace.source.index("mod")] = 1.0
    bench.act({"do": "attend", "step": step, "weights": weights})
    assert bench.told == ""
    assert bench.session.trace.text == "Old people have difficulty understanding modern technology."
    sent = payload(bench, None)
    assert [one["before"] for one in sent["steps"]][:step] == list(range(step))
    assert sent["steps"][step]["attended"]
    assert sent["steps"][step]["before"] is None
    assert "technology technology" in sent["original_text"]
    assert sent["logprob"] == pytest.approx(bench.session.trace.logprob)
    np.testing.assert_array_equal(numbers(sent["weights"]), bench.session.trace.weights.ravel())
    np.testing.assert_array_equal(numbers(sent["original_weights"]), bench.original.trace.weights.ravel())
    assert any(
        symptom["name"] == "repeated words" for symptom in payload(Bench([bench.original]), None)["symptoms"]
    )


def test_acts_follow_on_each_other_and_can_be_undone(bench: Bench) -> None:
    before = bench.session.trace
    bench.act({"do": "mask", "step": 3, "position": 2})
    bench.act({"do": "temperature", "step": 3, "value": 2.0})
    assert bench.session.actions[3].masked == {2}, "one act at a step keeps what was done to it before"
    assert bench.session.actions[3].temperature == 2.0
    assert bench.session.actions[2].masked == frozenset()
    bench.act({"do": "unmask", "step": 3, "position": 2})
    assert bench.session.actions[3].masked == frozenset()
    token = bench.session.likeliest[1][1]
    bench.act({"do": "force", "step": 1, "token": token})
    assert bench.session.trace.token_ids[1] == token
    bench.act({"do": "force", "step": 1, "text": "elephants never"})
    assert bench.session.trace.text.startswith("O elephants never")
    assert (bench.at, len(bench.acts)) == (5, 6)
    bench.act({"do": "go", "to": 0})
    assert bench.session.trace == before
    bench.act({"do": "go", "to": 99})
    assert bench.session.trace.text.startswith("O elephants never")
    bench.act({"do": "go", "to": 1})
    bench.act({"do": "force", "step": 0, "text": "The"})
    assert len(bench.acts) == 3, "what was undone goes when something else is done"


def test_what_cannot_be_done_is_told_and_nothing_is_lost(bench: Bench) -> None:
    positions = bench.session.positions
    for act, told in [
        ({"do": "attend", "step": 0, "weights": [0.0] * positions}, "above 0"),
        ({"do": "attend", "step": 0, "weights": [float("nan")] * positions}, "from 0 up"),
        ({"do": "attend", "step": 0, "weights": [1.0]}, "weights"),
        ({"do": "force", "step": 0, "text": "   "}, "Expected a word"),
        ({"do": "force", "step": 999, "text": "a"}, "step"),
        ({"do": "force", "step": 0, "text": "word " * 300}, "at most"),
        ({"do": "dance", "step": 0}, "something to do"),
    ]:
        before = bench.session
        bench.act(act)
        assert told in bench.told, act
        assert bench.session is before
    for position in range(positions):
        bench.act({"do": "mask", "step": 0, "position": position})
    assert "one position at least" in bench.told
    assert len(bench.session.actions[0].masked) == positions - 1


def test_words_in_bytes_and_the_end_mark(bench: Bench, translator: Translator) -> None:
    bench.act({"do": "force", "step": 0, "text": "☃"})
    assert bench.session.trace.text.startswith("☃")
    bench.act({"do": "force", "step": 0, "token": translator.pieces.end})
    assert len(bench.session.steps) == 1
    assert bench.session.trace.text == ""
    assert payload(bench, None)["text"] == ""


def test_the_beam_is_sent_whole_and_a_hypothesis_can_be_taken(bench: Bench, translator: Translator) -> None:
    trace = translator(TEXT)
    (beam,) = trace.beams
    sent = payload(bench, beam)["beam"]
    assert len(sent["nodes"]) == len(beam)
    for rank, (node, score) in enumerate(beam.hypotheses):
        tokens, at, total = [], node, 0.0
        while at >= 0:
            tokens.insert(0, sent["nodes"][at]["id"])
            total += np.log(sent["nodes"][at]["p"])
            at = sent["nodes"][at]["parent"]
        assert sent["nodes"][node]["rank"] == rank
        assert total == pytest.approx(sent["nodes"][node]["total"], abs=1e-3)
        assert score == pytest.approx(total / len(tokens), abs=1e-3)
        if rank == 0:
            assert tokens == trace.token_ids.tolist(), "following kept nodes gives what was returned"
        bench.act({"do": "follow", "tokens": tokens})
        assert bench.told == ""
        assert bench.session.trace.token_ids.tolist()[: len(tokens)] == tokens
        assert not any(action.interfered for action in bench.session.actions)


def test_a_photo_is_driven_by_its_cells(captioner: Captioner) -> None:
    photo = PAGE.parents[1] / "samples" / "ball.jpg"
    session = captioner.session(photo)
    session.run()
    bench = Bench([session])
    weights = [0.0] * 196
    weights[100] = weights[101] = 1.0
    bench.act({"do": "attend", "step": 1, "weights": weights})
    assert bench.session.steps[1].weights[100] == 0.5
    sent = payload(bench, None, "data:image/jpeg;base64,")
    assert sent["grid"]["rows"] * sent["grid"]["columns"] == sent["positions"] == 196
    assert sent["source"] == []


def test_the_page_starts_from_the_beam_s_best(translator: Translator) -> None:
    at = AppTest.from_file(PAGE, default_timeout=60)
    at.query_params["text"] = "Le chien dort."
    at.run()
    assert not at.exception
    (component,) = (node for node in at.main if node.type == "bidi_component")
    sent = json.loads(component.proto.json)
    assert sent["text"] == sent["original_text"] == translator("Le chien dort.").text
    assert sent["acts"] == ["as the model wrote it"]
    assert len(sent["faith"]) == len(sent["steps"])
    at.text_area(key="debug_text").set_value("Il dort. Elle lit.").run()
    assert "one sentence" in at.warning[0].value
    at.text_area(key="debug_text").set_value("").run()
    assert len(at.warning) == 1
    assert not at.exception


def test_a_model_without_attention_can_be_driven_by_words_alone() -> None:
    model = attnviz.load("lab-none")
    session = model.session("Un chien court.")
    session.run()
    bench = Bench([session])
    bench.act({"do": "force", "step": 0, "text": "A dog"})
    assert bench.session.trace.text.startswith("A dog")
    bench.act({"do": "mask", "step": 0, "position": 0})
    assert "no attention" in bench.told
    sent = payload(bench, None)
    assert (sent["positions"], sent["faith"], sent["symptoms"]) == (0, [], [])


def reading(entailment: Entailment) -> Bench:
    def reopen(hypothesis: str):
        return entailment.session("A dog is running.", hypothesis)

    session = reopen("A dog is asleep.")
    session.run()
    return Bench([session], ["as the model read it"], reopen)


def test_a_word_of_a_hypothesis_is_replaced_and_what_was_done_before_it_stays(entailment: Entailment) -> None:
    bench = reading(entailment)
    bench.act({"do": "attend", "step": 1, "weights": [1.0, 0, 0, 0, 0]})
    bench.act({"do": "force", "step": 3, "text": "moving"})
    assert bench.told == ""
    trace = bench.session.trace
    assert trace.text == "A dog is moving."
    assert trace.weights[1].tolist() == [1, 0, 0, 0, 0]
    assert bench.acts[2] == "step 4: “moving” in the place of “asleep”"
    sent = payload(bench, None)
    label = bench.original.trace.labels.index("contradiction")
    assert sent["of"] == "ln p (contradiction)"
    assert sent["logprob"] == pytest.approx(float(trace.verdicts[-1, label]))
    assert [name for name, _ in sent["steps"][0]["alternatives"]] == list(trace.labels)
    assert sent["symptoms"] == []
    bench.act({"do": "force", "step": 3, "token": 5})
    assert "type it" in bench.told


def test_no_judgement_is_made_of_a_step_whose_attention_was_changed(bench: Bench) -> None:
    bench.act({"do": "temperature", "step": 4, "value": 10.0})
    faith = payload(bench, None)["faith"]
    assert all("not judged" in row["told"] and not row["hardly"] for row in faith[4:])
    assert all("not judged" not in row["told"] for row in faith[:4])
    assert all(row["drops"] is None and row["agreement"] is None for row in faith)


def test_what_a_person_crossed_out_is_not_called_skipped(bench: Bench) -> None:
    source = bench.session.trace.sequence
    word = next(at for at, span in enumerate(source.words) if source.text[slice(*span)] == "difficultés")
    for place in (at for at, owner in enumerate(source.owners) if owner == word):
        bench.act({"do": "mask", "step": 0, "position": place})
    assert bench.told == ""
    plain = [one.told for one in symptoms(bench.session.trace) if one.name == "skipped source"]
    told = [one["told"] for one in payload(bench, None)["symptoms"] if one["name"] == "skipped source"]
    assert any("difficultés" in text for text in plain)
    assert not any("difficultés" in text for text in told)


def test_an_act_of_another_bench_is_not_done(bench: Bench) -> None:
    bench.act({"do": "mask", "step": 3, "position": 2, "bench": "another"})
    assert bench.at == 0
    assert "source before this one" in bench.told
    bench.act({"do": "mask", "step": 3, "position": 2, "bench": bench.name})
    assert (bench.at, bench.told) == (1, "")


def test_what_was_done_is_named_as_it_was(bench: Bench, translator: Translator) -> None:
    end = translator.writer.vocabulary.end
    bench.act({"do": "force", "step": 3, "token": end})
    assert bench.acts[-1].startswith("step 4: the end mark in the place of “")
    whole = bench.original.trace.token_ids.tolist()
    bench.act({"do": "follow", "tokens": whole[:4]})
    assert bench.acts[-1] == "went on from a node of the beam"
    bench.act({"do": "follow", "tokens": whole})
    assert bench.acts[-1] == "took another hypothesis of the beam"
