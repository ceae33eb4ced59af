/** Puts files into a task's sandbox. One that is there already is replaced only after a question; its versions stay. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Upload } from "lucide-react";
import { useRef, useState } from "react";
import { fileAddress, newRequestKey, once, sendBytes } from "../../../api/client.ts";
import type { SandboxFile, WrittenFile } from "../../../api/types.generated.ts";
import { bytes } from "../../../ui/amounts.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { TextField } from "../../../ui/field.tsx";
import { ProblemNotice } from "../../../ui/notice.tsx";
import { useToast } from "../../../ui/toast.tsx";
import { nameOf } from "./file-tree.ts";
import { visibleText } from "../../../ui/visible-text.ts";

/** Bytes of one file, as the API takes them. */
const MAX_BYTES = 52_428_800;

interface Choice {
  readonly file: File;
  readonly path: string;
  readonly key: string;
}

interface UploadButtonProps {
  readonly taskId: string;
  readonly known: readonly SandboxFile[];
  /** The path that is to be replaced; without it the person says where the file goes. */
  readonly replaces?: string;
  readonly onDone: (path: string) => void;
}

export function UploadButton({ taskId, known, replaces, onDone }: UploadButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  const [choice, setChoice] = useState<Choice | null>(null);
  const uploading = useUpload(taskId, (path) => {
    setChoice(null);
    onDone(path);
  });
  const choose = (file: File | undefined): void => {
    if (file === undefined) return;
    uploading.reset();
    setChoice({ file, path: replaces ?? file.name, key: newRequestKey() });
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={replaces === undefined ? "A file to upload" : `A file to put in place of ${nameOf(replaces)}`}
        onChange={({ target }) => {
          choose(target.files?.[0]);
          // The same file may be chosen again.
          target.value = "";
        }}
      />
      <Button size="small" icon={<Upload aria-hidden className="size-4" />} onClick={() => input.current?.click()}>
        {replaces === undefined ? "Upload" : "Replace"}
      </Button>
      <Dialog
        isOpen={choice !== null}
        title={replaces === undefined ? "Upload a file" : `Replace ${nameOf(replaces)}`}
        onClose={() => setChoice(null)}
      >
        {choice === null ? null : (
          <UploadForm
            {...{ choice, uploading }}
            isPathFixed={replaces !== undefined}
            isThere={known.some(({ path }) => path === choice.path.trim())}
            onPath={(path) => setChoice({ ...choice, path, key: newRequestKey() })}
            onCancel={() => setChoice(null)}
          />
        )}
      </Dialog>
    </>
  );
}

function useUpload(taskId: string, onDone: (path: string) => void) {
  const cache = useQueryClient();
  const say = useToast();
  return useMutation({
    mutationFn: async ({ file, path, key }: Choice) =>
      await sendBytes<WrittenFile>("PUT", fileAddress(taskId, path.trim()), file, {
        ...once(key),
        "content-type": file.type === "" ? "application/octet-stream" : file.type,
      }),
    onSuccess: async ({ path }) => {
      await cache.invalidateQueries({ queryKey: ["tasks", taskId, "files"] });
      say(`${nameOf(path)} is in the task's files.`);
      onDone(path);
    },
  });
}

interface UploadFormProps {
  readonly choice: Choice;
  readonly uploading: ReturnType<typeof useUpload>;
  readonly isPathFixed: boolean;
  readonly isThere: boolean;
  readonly onPath: (path: string) => void;
  readonly onCancel: () => void;
}

function UploadForm({ choice, uploading, isPathFixed, isThere, onPath, onCancel }: UploadFormProps) {
  const { file, path } = choice;
  const isTooLarge = file.size > MAX_BYTES;
  const submit = (): void => {
    if (!isTooLarge && path.trim() !== "") uploading.mutate(choice);
  };
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <p>
        <bdi className="font-medium">{visibleText(file.name)}</bdi>, {bytes(file.size)}
      </p>
      {isPathFixed ? null : (
        <TextField
          label="Path"
          value={path}
          required
          spellCheck="false"
          onChange={({ target }) => onPath(target.value)}
          hint="A path in the task's files; folders are made as they are needed: data/numbers.csv"
        />
      )}
      {isTooLarge ? <p className="text-danger">A file has at most {bytes(MAX_BYTES)}.</p> : null}
      {isThere ? (
        <p className="text-warn">There is a file at this path. It is replaced; you can restore it from its versions.</p>
      ) : null}
      {uploading.isError ? <ProblemNotice error={uploading.error} doing="Couldn't upload the file" /> : null}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button look="primary" type="submit" isBusy={uploading.isPending} disabled={isTooLarge}>
          {isThere ? "Replace it" : "Upload"}
        </Button>
      </div>
    </form>
  );
}
