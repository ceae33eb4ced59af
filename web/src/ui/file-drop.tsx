import { Paperclip } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Button } from "./button.tsx";
import { classes } from "./classes.ts";

interface FileDropProps {
  readonly onFiles: (files: readonly File[]) => void;
  readonly children?: ReactNode;
  /** Takes one file, of this type: `.zip`. Else several of any type. */
  readonly only?: string;
  /** What can be dropped. */
  readonly hint?: string;
}

/** A place to drop files on, with a button that does the same. */
export function FileDrop({ onFiles, children, only, hint = "or drop them here. At most 50 MB each." }: FileDropProps) {
  const [isOver, setOver] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const drop = useRef(onFiles);
  useEffect(() => {
    drop.current = onFiles;
  });
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const leaving = new AbortController();
    const { signal } = leaving;
    const over = (event: DragEvent): void => {
      event.preventDefault();
      setOver(true);
    };
    const dropped = (event: DragEvent): void => {
      event.preventDefault();
      setOver(false);
      drop.current([...(event.dataTransfer?.files ?? [])]);
    };
    element.addEventListener("dragover", over, { signal });
    element.addEventListener("dragleave", () => setOver(false), { signal });
    element.addEventListener("drop", dropped, { signal });
    return () => leaving.abort();
  }, []);
  return (
    <div
      ref={place}
      className={classes(
        "flex flex-col gap-3 rounded-md border border-dashed p-3",
        isOver ? "border-accent bg-accent-soft" : "border-edge",
      )}
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button size="small" icon={<Paperclip aria-hidden className="size-4" />} onClick={() => input.current?.click()}>
          {only === undefined ? "Choose files" : "Choose a file"}
        </Button>
        <span className="text-sm text-quiet">{hint}</span>
        <input
          ref={input}
          type="file"
          multiple={only === undefined}
          accept={only}
          hidden
          aria-label={only === undefined ? "Files" : "File"}
          onChange={({ target }) => {
            onFiles([...(target.files ?? [])]);
            // So that the same file can be chosen again.
            target.value = "";
          }}
        />
      </div>
      {children}
    </div>
  );
}
