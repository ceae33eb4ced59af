/** The tasks of a tree as an ARIA tree: one place of focus that the arrow keys move, Enter opens what it stands on. */
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, memo, type MouseEvent, type RefObject, useEffect, useRef, useState } from "react";
import { edgePath, type TreePicture } from "./tree-layout.ts";
import { TreeNode } from "./tree-node.tsx";
import { stepOf } from "./tree-walk.ts";

interface TreeViewProps {
  readonly picture: TreePicture;
  readonly currentId: string;
  readonly zoom: number;
  readonly frame: RefObject<HTMLDivElement | null>;
  readonly onFold: (id: string, isFolded: boolean) => void;
}

export function TreeView({ picture, currentId, zoom, frame, onFold }: TreeViewProps) {
  const { tasks, width, height } = picture;
  const navigate = useNavigate();
  const [chosen, setChosen] = useState(currentId);
  // What was chosen may be folded away: then the first task takes the focus.
  const focusedId = tasks.some(({ task }) => task.id === chosen) ? chosen : tasks[0]?.task.id;
  useCurrentInSight(frame, currentId);
  const focusOn = (id: string): void => {
    setChosen(id);
    frame.current?.querySelector<HTMLElement>(`[data-task="${CSS.escape(id)}"]`)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || focusedId === undefined) return;
    const step = stepOf(tasks, focusedId, event.key);
    if (step === null) return;
    event.preventDefault();
    if (step.do === "focus") focusOn(step.id);
    else onFold(step.id, step.do === "fold");
  };
  const onClick = (event: MouseEvent): void => {
    const id = taskAt(event.target);
    // Another button or key asks the browser for a new window.
    if (id === null || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void navigate({ to: "/tasks/$taskId", params: { taskId: id }, search: { view: "tree" } });
  };
  // Nothing turns here: hundreds of turning signs take a browser's whole time.
  return (
    <div
      ref={frame}
      className="max-h-[min(75dvh,60rem)] overflow-auto rounded-lg max-md:max-h-none [&_svg]:animate-none"
    >
      <div className="md:h-(--room-height) md:w-(--room-width)" style={roomOf(width * zoom, height * zoom)}>
        {/* The picture shrinks as a whole: text, lines and places together. */}
        <div
          role="tree"
          tabIndex={-1}
          aria-label="Tasks of this tree"
          onKeyDown={onKeyDown}
          onClick={onClick}
          onFocus={({ target }) => setChosen((before) => taskAt(target) ?? before)}
          className="relative origin-top-left md:h-(--room-height) md:w-(--room-width) md:scale-(--zoom)"
          style={{ ...roomOf(width, height), ...zoomOf(zoom) }}
        >
          <Edges tasks={tasks} width={width} height={height} />
          {tasks.map((placed) => (
            <TreeNode
              key={placed.task.id}
              {...{ placed, onFold }}
              isCurrent={placed.task.id === currentId}
              isFocused={placed.task.id === focusedId}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

function taskAt(target: EventTarget): string | null {
  return target instanceof Element ? (target.closest<HTMLElement>("[data-task]")?.dataset["task"] ?? null) : null;
}

function roomOf(width: number, height: number): Record<`--${string}`, string> {
  return { "--room-width": `${width}px`, "--room-height": `${height}px` };
}

function zoomOf(zoom: number): Record<`--${string}`, string> {
  return { "--zoom": String(zoom) };
}

/** Scrolls the task of the page into the frame, once. */
function useCurrentInSight(frame: RefObject<HTMLDivElement | null>, currentId: string): void {
  const shown = useRef<string | null>(null);
  useEffect(() => {
    const room = frame.current;
    const node = room?.querySelector<HTMLElement>(`[data-task="${CSS.escape(currentId)}"]`);
    if (room == null || node == null || shown.current === currentId) return;
    shown.current = currentId;
    const [inner, outer] = [node.getBoundingClientRect(), room.getBoundingClientRect()];
    room.scrollBy({
      top: inner.bottom > outer.bottom ? inner.top - outer.top - outer.height / 2 : 0,
      left: inner.right > outer.right ? inner.left - outer.left - outer.width / 2 : 0,
    });
  }, [frame, currentId]);
}

const Edges = memo(function Edges({ tasks, width, height }: TreePicture) {
  const places = new Map(tasks.map((placed) => [placed.task.id, placed]));
  return (
    <svg aria-hidden width={width} height={height} className="absolute inset-0 hidden text-edge md:block">
      {tasks.map((child) => {
        const parent = child.parentId === null ? undefined : places.get(child.parentId);
        return parent === undefined ? null : (
          <path key={child.task.id} d={edgePath(parent, child)} fill="none" stroke="currentColor" strokeWidth={1.5} />
        );
      })}
    </svg>
  );
});
