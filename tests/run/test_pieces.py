"""Who makes the pieces of a work."""

import numpy as np
import pytest

from sdc.run.pieces import Piece, Work, done_by, each_piece


def squares(number: int) -> Piece:
    return [np.array([number**2])]


def values(pieces: list[Piece]) -> list[int]:
    return [int(array[0]) for (array,) in pieces]


def test_all_pieces_are_made_here_in_order_when_nobody_else_is_there() -> None:
    assert values(each_piece(4, squares)) == [0, 1, 4, 9]


def test_others_are_asked_within_and_nobody_afterwards_even_after_an_error() -> None:
    asked = []

    def others(count: int, work: Work) -> list[Piece]:
        asked.append(count)
        return [work(number + 10) for number in range(count)]

    with done_by(others):
        assert values(each_piece(2, squares)) == [100, 121]
    with pytest.raises(ValueError, match="lost"), done_by(others):
        raise ValueError("lost")
    assert values(each_piece(2, squares)) == [0, 1]
    assert asked == [2]
