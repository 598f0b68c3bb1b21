"""Evaluates agents: an episode of each of many seeds, with intervals, and agents compared on equal seeds.

    from blockloom.evaluation import evaluate

    result = evaluate("Stackcraft-v1", ["greedy", "random"], seeds=range(50), cap=100)
    print(result.text())

``python -m blockloom evaluate`` is the same as a command.
"""

from blockloom.evaluation.agents import load_agent, weight_names
from blockloom.evaluation.chart import save_chart
from blockloom.evaluation.episodes import play_episodes
from blockloom.evaluation.results import Comparison, Evaluation, Played, Summary, interval, summary
from blockloom.evaluation.run import default_cap, evaluate

__all__ = [
    "Comparison",
    "Evaluation",
    "Played",
    "Summary",
    "default_cap",
    "evaluate",
    "interval",
    "load_agent",
    "play_episodes",
    "save_chart",
    "summary",
    "weight_names",
]
