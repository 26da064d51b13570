"""Strongly connected components of a graph, by Tarjan's search with a path of its own instead of recursion.

The text of this file becomes part of a kernel.
"""

from .names import entry, octets, vector


@entry
def components(
    starts: vector, targets: vector, count, alive: octets,
    component: vector, order: vector, low: vector, stack: vector, path: vector, at: vector,
):  # fmt: skip
    """Number the components of the states 0 to count - 1: component[k] becomes that of state k. Returns how many there are.

    The steps of state k lead to targets[starts[k]:starts[k + 1]]; those from or to what is not alive, or below 0, do not count.
    `component` holds -1 and `order` 0 in the beginning, the other arrays anything. `order` becomes when a state was first met,
    and `low` the first met of those that it leads back to; `stack` holds the states met whose component is open, `path` those on the
    way to the current one.
    """
    found = 0
    met = 0
    height = 0
    for root in range(count):
        if order[root] == 0:
            met += 1
            order[root] = low[root] = met
            at[root] = starts[root]
            stack[height] = root
            height += 1
            path[0] = root
            depth = 1
            while depth > 0:
                state = path[depth - 1]
                if alive[state] == 1 and at[state] < starts[state + 1]:
                    target = targets[at[state]]
                    at[state] += 1
                    if target >= 0 and alive[target] == 1:
                        if order[target] == 0:
                            met += 1
                            order[target] = low[target] = met
                            at[target] = starts[target]
                            stack[height] = target
                            height += 1
                            path[depth] = target
                            depth += 1
                        elif component[target] < 0:
                            low[state] = min(low[state], order[target])
                else:
                    depth -= 1
                    if depth > 0:
                        low[path[depth - 1]] = min(low[path[depth - 1]], low[state])
                    if low[state] == order[state]:
                        while component[state] < 0:
                            height -= 1
                            component[stack[height]] = found
                        found += 1
    return found
