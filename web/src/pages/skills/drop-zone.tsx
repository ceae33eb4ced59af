/** Where a skill is dropped, or picked as a file or as a folder. */
import { FolderOpen, Upload } from "lucide-react";
import { type DragEvent, useRef, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { filesOfDrop, filesOfInput, type PickedFile } from "./picked-skill.ts";

/** React passes the attribute on; its types do not name it. */
const FOLDER = { webkitdirectory: "" };

export function DropZone({ onPick }: { readonly onPick: (files: readonly PickedFile[]) => void }) {
  const [isOver, setOver] = useState(false);
  const file = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    void filesOfDrop(event.dataTransfer).then(onPick);
  };
  const pick = (input: HTMLInputElement): void => {
    if (input.files !== null && input.files.length > 0) onPick(filesOfInput(input.files));
    // The same file may be picked again after it was changed.
    input.value = "";
  };
  return (
    <div
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className={classes(
        "flex flex-col items-center gap-3 rounded-lg border-2 border-dashed px-4 py-8 text-center",
        isOver ? "border-accent bg-accent-soft" : "border-edge",
      )}
    >
      <p className="font-medium">Drop the skill’s folder, a ZIP archive or a SKILL.md here</p>
      <div className="flex flex-wrap justify-center gap-2">
        <Button icon={<Upload aria-hidden className="size-4" />} onClick={() => file.current?.click()}>
          Choose a file
        </Button>
        <Button icon={<FolderOpen aria-hidden className="size-4" />} onClick={() => folder.current?.click()}>
          Choose a folder
        </Button>
      </div>
      <p className="text-sm text-quiet">
        At most 10 MB and 200 files. It is checked first; nothing is kept before you say so.
      </p>
      <input
        ref={file}
        type="file"
        hidden
        aria-label="Skill file"
        accept=".zip,.skill,.md,.markdown"
        onChange={({ target }) => pick(target)}
      />
      <input
        ref={folder}
        type="file"
        hidden
        aria-label="Skill folder"
        {...FOLDER}
        onChange={({ target }) => pick(target)}
      />
    </div>
  );
}
