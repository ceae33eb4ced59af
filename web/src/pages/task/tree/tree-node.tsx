/** A node of the task tree. A tree may have a thousand tasks, so only changed nodes render again. */
import { ChevronRight } from "lucide-react";
import { memo } from "react";
import { count, dollars } from "../../../ui/amounts.ts";
import { StatusBadge } from "../../../ui/badge.tsx";
import { classes } from "../../../ui/classes.ts";
import { honestProse } from "../../../ui/visible-text.ts";
import { NODE, type PlacedTask } from "./tree-layout.ts";

/** The deepest indent on a phone. Deeper tasks are aligned with it, because the screen has no more room. */
const DEEPEST_INDENT = 7;

interface TreeNodeProps {
  readonly placed: PlacedTask;
  readonly isCurrent: boolean;
  readonly isFocused: boolean;
  readonly onFold: (id: string, isFolded: boolean) => void;
}

/** A link, so that the browser can open the task in a new window. A plain click is handled by the tree. */
export const TreeNode = memo(function TreeNode({ placed, isCurrent, isFocused, onFold }: TreeNodeProps) {
  const { task, depth, position, siblings, hasChildren, hidden } = placed;
  return (
    <div
      role="none"
      className="relative max-md:pl-(--indent) md:absolute md:top-(--y) md:left-(--x) md:h-(--height) md:w-(--width)"
      style={toPosition(placed)}
    >
      <a
        href={`/tasks/${encodeURIComponent(task.id)}?view=tree`}
        role="treeitem"
        data-task={task.id}
        aria-level={depth + 1}
        aria-posinset={position}
        aria-setsize={siblings}
        aria-expanded={hasChildren ? hidden === 0 : undefined}
        aria-current={isCurrent ? "page" : undefined}
        tabIndex={isFocused ? 0 : -1}
        className={classes(
          "flex h-full min-w-0 flex-col justify-center gap-0.5 px-3 py-2 hover:bg-hover max-md:border-b max-md:border-line max-md:pr-14 md:rounded-lg md:border md:py-1 focus-visible:-outline-offset-2",
          isCurrent ? "bg-accent-soft md:border-2 md:border-accent" : "bg-surface md:border-edge",
        )}
      >
        {isCurrent ? (
          <span className="self-start rounded-full border border-accent bg-surface px-2 text-xs font-medium text-accent md:absolute md:-top-2.5 md:left-3">
            This task
          </span>
        ) : null}
        <bdi
          title={honestProse(task.title)}
          className={classes("line-clamp-2 md:line-clamp-1", isCurrent && "font-semibold")}
        >
          {honestProse(task.title) || "No text"}
        </bdi>
        <span className="flex items-center justify-between gap-2 text-sm">
          <StatusBadge status={task.status} />
          <span className="text-quiet whitespace-nowrap tabular-nums">{dollars(task.usage.cost_usd)}</span>
        </span>
        {hidden > 0 ? <span className="sr-only">, {count(hidden)} hidden below</span> : null}
      </a>
      {hasChildren ? <FoldButton {...{ hidden }} onFold={() => onFold(task.id, hidden === 0)} /> : null}
    </div>
  );
}, isSame);

/** Compares the values of `placed`: each change computes new ones, but most tasks keep their position. */
function isSame({ placed: before, ...old }: TreeNodeProps, { placed: after, ...next }: TreeNodeProps): boolean {
  return (
    old.isCurrent === next.isCurrent &&
    old.isFocused === next.isFocused &&
    old.onFold === next.onFold &&
    before.task === after.task &&
    before.x === after.x &&
    before.y === after.y &&
    before.depth === after.depth &&
    before.hasChildren === after.hasChildren &&
    before.hidden === after.hidden &&
    before.position === after.position &&
    before.siblings === after.siblings
  );
}

/** Only for the pointer. By keyboard and for screen readers, the arrow keys of the tree do the same. */
function FoldButton({ hidden, onFold }: { readonly hidden: number; readonly onFold: () => void }) {
  return (
    <button
      type="button"
      aria-hidden
      tabIndex={-1}
      title={hidden > 0 ? `Open: ${count(hidden)} below` : "Fold what is below"}
      onClick={onFold}
      className="absolute top-1/2 right-2 inline-flex h-6 min-w-6 -translate-y-1/2 items-center justify-center rounded-full border border-edge bg-surface text-xs font-medium text-quiet tabular-nums hover:bg-hover hover:text-ink md:-right-3"
    >
      {hidden > 0 ? (
        <span className="px-1.5">+{count(hidden)}</span>
      ) : (
        <ChevronRight aria-hidden className="size-3.5 max-md:rotate-90" />
      )}
    </button>
  );
}

function toPosition({ x, y, depth }: PlacedTask): Record<`--${string}`, string> {
  return {
    "--x": `${x}px`,
    "--y": `${y}px`,
    "--width": `${NODE.width}px`,
    "--height": `${NODE.height}px`,
    "--indent": `${Math.min(depth, DEEPEST_INDENT)}rem`,
  };
}
