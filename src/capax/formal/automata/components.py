"""Strongly connected components of a graph."""

from collections.abc import Sequence


def components(graph: Sequence[Sequence[int]]) -> list[int]:
    """The number of the component of each node; those that others lead to have the smaller numbers.

    Tarjan's algorithm without recursion, since graphs of monoids are deep.
    """
    n = len(graph)
    order, low, component = [-1] * n, [0] * n, [-1] * n
    stack: list[int] = []
    count = clock = 0
    for root in range(n):
        if order[root] >= 0:
            continue
        work = [(root, 0)]
        while work:
            node, at = work.pop()
            if at == 0:
                order[node] = low[node] = clock
                clock += 1
                stack.append(node)
            elif component[graph[node][at - 1]] < 0:
                low[node] = min(low[node], low[graph[node][at - 1]])
            while at < len(graph[node]):
                other = graph[node][at]
                at += 1
                if order[other] < 0:
                    work += [(node, at), (other, 0)]
                    break
                if component[other] < 0:
                    low[node] = min(low[node], order[other])
            else:
                if low[node] == order[node]:
                    while True:
                        top = stack.pop()
                        component[top] = count
                        if top == node:
                            break
                    count += 1
    return component
