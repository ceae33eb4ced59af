import { X } from "lucide-react";
import { bytes } from "../../ui/amounts.ts";
import { IconButton } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { FileDrop } from "../../ui/file-drop.tsx";
import { addFiles, type ChosenFile, MAX_FILE_BYTES } from "./upload-names.ts";
import { visibleText } from "../../ui/visible-text.ts";

interface ChosenFilesProps {
  readonly files: readonly ChosenFile[];
  /** Names of files that were chosen before a reload. */
  readonly lost: readonly string[];
  readonly onChange: (files: readonly ChosenFile[]) => void;
}

/** The files that the task is to begin with. */
export function ChosenFiles({ files, lost, onChange }: ChosenFilesProps) {
  const missing = files.length === 0 ? lost : [];
  return (
    <div className="flex flex-col gap-2">
      <p className="text-sm font-medium">Files it works with (optional)</p>
      <FileDrop onFiles={(added) => onChange(addFiles(files, added))}>
        {missing.length === 0 ? null : (
          <Notice tone="warn" title="Choose the files again">
            The page was reloaded, and a browser does not keep files: {missing.slice(0, 10).join(", ")}
            {missing.length > 10 ? ` and ${missing.length - 10} more` : ""}.
          </Notice>
        )}
        {files.length === 0 ? null : (
          <ul className="max-h-60 divide-y divide-line overflow-auto">
            {files.map(({ name, file }) => (
              <li key={name} className="flex items-center gap-3 py-1">
                <span className="min-w-0 flex-1">
                  <bdi>{visibleText(name)}</bdi>
                  {file.size > MAX_FILE_BYTES ? (
                    <span className="block text-sm text-danger">Over 50 MB: remove it to continue.</span>
                  ) : null}
                </span>
                <span className="text-sm whitespace-nowrap text-quiet">{bytes(file.size)}</span>
                <IconButton label={`Remove ${name}`} onClick={() => onChange(files.filter((one) => one.name !== name))}>
                  <X aria-hidden className="size-4" />
                </IconButton>
              </li>
            ))}
          </ul>
        )}
      </FileDrop>
    </div>
  );
}
