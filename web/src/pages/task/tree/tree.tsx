/** The tree of a task: a picture from left to right, on a phone the same tasks as an indented list. */
import { useQuery } from "@tanstack/react-query";
import { Maximize2, Minus, Plus } from "lucide-react";
import { useCallback, useMemo, useRef, useState } from "react";
import { isFinal } from "../../../api/types.ts";
import type { Task, TaskTree as Tree } from "../../../api/types.generated.ts";
import { count, dollars } from "../../../ui/amounts.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { Empty, Notice, ProblemNotice, Skeleton } from "../../../ui/notice.tsx";
import { treeQuery } from "../task-query.ts";
import { foldable, layoutTree } from "./tree-layout.ts";
import { TreeView } from "./tree-view.tsx";

const ZOOMS = [0.25, 0.4, 0.55, 0.75, 1, 1.25, 1.5] as const;
const PLAIN_ZOOM = ZOOMS.indexOf(1);

export function TaskTree({ task }: { readonly task: Task }) {
  const tree = useQuery(treeQuery(task.id));
  if (tree.isError) return <ProblemNotice error={tree.error} onRetry={() => void tree.refetch()} />;
  if (tree.isPending) return <Skeleton rows={4} height="h-16" label="Loading the tree" />;
  if (tree.data.nodes.length < 2)
    return (
      <Empty title="No subtasks">
        {isFinal(task.status)
          ? "This task did its work alone."
          : "When this task hands work to others, they appear here as they begin."}
      </Empty>
    );
  return <TreeOf tree={tree.data} currentId={task.id} />;
}

function TreeOf({ tree, currentId }: { readonly tree: Tree; readonly currentId: string }) {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [zoom, setZoom] = useState<number>(PLAIN_ZOOM);
  const frame = useRef<HTMLDivElement>(null);
  const picture = useMemo(() => layoutTree(tree, folded), [tree, folded]);
  const fold = useCallback((id: string, isFolded: boolean): void => {
    setFolded((all) => new Set(isFolded ? [...all, id] : [...all].filter((one) => one !== id)));
  }, []);
  const fit = (): void => {
    const room = frame.current;
    if (room === null) return;
    const share = Math.min(room.clientWidth / picture.width, room.clientHeight / picture.height);
    setZoom(
      Math.max(
        0,
        ZOOMS.findLastIndex((one) => one <= share),
      ),
    );
  };
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <Summary tree={tree} />
        <div className="flex flex-wrap items-center gap-2">
          <Button size="small" onClick={() => setFolded(new Set(foldable(tree).filter((id) => id !== tree.root)))}>
            Fold all
          </Button>
          <Button size="small" onClick={() => setFolded(new Set())}>
            Open all
          </Button>
          <div role="group" aria-label="Size of the picture" className="hidden items-center gap-1 md:flex">
            <IconButton label="Smaller" disabled={zoom === 0} onClick={() => setZoom(zoom - 1)}>
              <Minus aria-hidden className="size-4" />
            </IconButton>
            <span className="w-12 text-center text-sm text-quiet tabular-nums">
              {Math.round((ZOOMS[zoom] ?? 1) * 100)}%
            </span>
            <IconButton label="Larger" disabled={zoom === ZOOMS.length - 1} onClick={() => setZoom(zoom + 1)}>
              <Plus aria-hidden className="size-4" />
            </IconButton>
            <IconButton label="Fit into the window" onClick={fit}>
              <Maximize2 aria-hidden className="size-4" />
            </IconButton>
          </div>
        </div>
      </div>
      {tree.truncated ? (
        <Notice tone="warn" title={`Only the first ${count(tree.nodes.length)} tasks of this tree are shown`} />
      ) : null}
      <div className="overflow-hidden rounded-lg border border-line bg-surface">
        <TreeView {...{ picture, currentId, frame }} zoom={ZOOMS[zoom] ?? 1} onFold={fold} />
      </div>
      <p className="hidden text-sm text-quiet md:block">
        With the keyboard: arrows walk the tree, left and right fold and open, Enter shows a task.
      </p>
    </div>
  );
}

function Summary({ tree: { nodes } }: { readonly tree: Tree }) {
  const cost = nodes.reduce((sum, { usage }) => sum + usage.cost_usd, 0);
  const tokens = nodes.reduce((sum, { usage }) => sum + usage.tokens, 0);
  const live = nodes.filter(({ status }) => !isFinal(status)).length;
  return (
    <p className="text-quiet">
      {count(nodes.length)} tasks, {live === 0 ? "all ended" : `${count(live)} not ended`} · {count(tokens)} tokens ·{" "}
      {dollars(cost)}
    </p>
  );
}
