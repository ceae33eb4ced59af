/** Position of each task in the picture of its tree: a column for each depth, the children next to their parent in order. */
import type { TaskTree } from "../../../api/types.generated.ts";

export type TreeTask = TaskTree["nodes"][number];

/** Pixels of a node, and from one node's corner to the next one's. */
export const NODE = { width: 232, height: 60, stepX: 280, stepY: 72 } as const;
/** Pixels around the picture. */
const EDGE = 16;

/** A task in the picture. */
export interface PlacedTask {
  readonly task: TreeTask;
  /** Its left upper corner. */
  readonly x: number;
  readonly y: number;
  /** 0 for the root. */
  readonly depth: number;
  readonly parentId: string | null;
  readonly hasChildren: boolean;
  /** How many tasks its fold hides; 0 when it is open. */
  readonly hidden: number;
  /** Its place among its siblings, from 1, and how many they are. */
  readonly position: number;
  readonly siblings: number;
}

export interface TreePicture {
  /** What is seen, each task after its parent and before the parent's next child. */
  readonly tasks: readonly PlacedTask[];
  readonly width: number;
  readonly height: number;
}

interface Branch {
  readonly task: TreeTask;
  readonly children: Branch[];
}

/** Lays a tree out; what is below the `folded` tasks is left out. A task whose parent is not there hangs from the root. */
export function layoutTree(tree: Pick<TaskTree, "root" | "nodes">, folded: ReadonlySet<string>): TreePicture {
  const root = buildBranches(tree);
  if (root === null) return { tasks: [], width: 0, height: 0 };
  const seen = walk(root, folded);
  const rows = assignRows(seen);
  const tasks = seen.map(({ branch, ...place }, index) => ({
    ...place,
    task: branch.task,
    x: EDGE + place.depth * NODE.stepX,
    y: EDGE + (rows[index] ?? 0) * NODE.stepY,
    hasChildren: branch.children.length > 0,
    hidden: folded.has(branch.task.id) ? sizeBelow(branch) : 0,
  }));
  return {
    tasks,
    width: Math.max(...tasks.map(({ x }) => x)) + NODE.width + EDGE,
    height: Math.max(...tasks.map(({ y }) => y)) + NODE.height + EDGE,
  };
}

/** The line from a parent's right edge to its child's left edge, as an SVG path. */
export function edgePath(parent: PlacedTask, child: PlacedTask): string {
  const [fromX, fromY] = [parent.x + NODE.width, parent.y + NODE.height / 2];
  const [toX, toY] = [child.x, child.y + NODE.height / 2];
  const middle = (fromX + toX) / 2;
  return `M${fromX} ${fromY}C${middle} ${fromY} ${middle} ${toY} ${toX} ${toY}`;
}

/** The tasks that have children: those that can be folded. */
export function foldable(tree: Pick<TaskTree, "root" | "nodes">): string[] {
  const root = buildBranches(tree);
  if (root === null) return [];
  return walk(root, new Set()).flatMap(({ branch }) => (branch.children.length > 0 ? [branch.task.id] : []));
}

/** A parent is one that stands before its child, so that no circle can come in. */
function buildBranches({ root: rootId, nodes }: Pick<TaskTree, "root" | "nodes">): Branch | null {
  const rootTask = nodes.find(({ id }) => id === rootId);
  if (rootTask === undefined) return null;
  const root: Branch = { task: rootTask, children: [] };
  const known = new Map([[rootId, root]]);
  for (const task of nodes) {
    if (known.has(task.id)) continue;
    const branch: Branch = { task, children: [] };
    known.set(task.id, branch);
    (known.get(task.parent_id ?? rootId) ?? root).children.push(branch);
  }
  return root;
}

interface Seen {
  readonly branch: Branch;
  readonly depth: number;
  readonly parentId: string | null;
  readonly position: number;
  readonly siblings: number;
}

/** What is not folded away, each task after its parent. Without recursion: a tree may be as deep as it has tasks. */
function walk(root: Branch, folded: ReadonlySet<string>): Seen[] {
  const seen: Seen[] = [];
  const left: Seen[] = [{ branch: root, depth: 0, parentId: null, position: 1, siblings: 1 }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    seen.push(next);
    const { branch, depth } = next;
    if (folded.has(branch.task.id)) continue;
    const siblings = branch.children.length;
    for (const [index, child] of [...branch.children.entries()].toReversed())
      left.push({ branch: child, depth: depth + 1, parentId: branch.task.id, position: index + 1, siblings });
  }
  return seen;
}

/** A row of its own for each task that shows no children; a parent stands midway between its first and its last child. */
function assignRows(seen: readonly Seen[]): number[] {
  const ends = new Map<string, { first: number; last: number }>();
  const rows: number[] = Array.from({ length: seen.length }, () => 0);
  let nextLeaf = seen.filter((one, index) => seen[index + 1]?.parentId !== one.branch.task.id).length;
  for (const [index, { branch, parentId }] of [...seen.entries()].toReversed()) {
    const below = ends.get(branch.task.id);
    const row = below === undefined ? --nextLeaf : (below.first + below.last) / 2;
    rows[index] = row;
    if (parentId === null) continue;
    const siblings = ends.get(parentId);
    // From the end: the last child comes first.
    if (siblings === undefined) ends.set(parentId, { first: row, last: row });
    else siblings.first = row;
  }
  return rows;
}

function sizeBelow(branch: Branch): number {
  let size = -1;
  const left = [branch];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    size += 1;
    left.push(...next.children);
  }
  return size;
}
