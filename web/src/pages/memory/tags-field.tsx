/** Words under which a memory is found: each is added by Enter, and taken away by its button. */
import { X } from "lucide-react";
import { useRef, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { Name } from "../../ui/name.tsx";

interface TagsFieldProps {
  readonly tags: readonly string[];
  readonly onChange: (tags: readonly string[]) => void;
  readonly error: string | undefined;
}

const MAX_TAGS = 20;

export function TagsField({ tags, onChange, error }: TagsFieldProps) {
  const [word, setWord] = useState("");
  const box = useRef<HTMLDivElement>(null);
  const add = (): void => {
    const tag = word.trim();
    if (tag !== "" && !tags.includes(tag)) onChange([...tags, tag]);
    setWord("");
  };
  const remove = (tag: string): void => {
    onChange(tags.filter((one) => one !== tag));
    box.current?.querySelector("input")?.focus();
  };
  return (
    <div ref={box} className="flex flex-col gap-2">
      <div className="flex items-end gap-2">
        <TextField
          label="Tags"
          className="flex-1"
          value={word}
          maxLength={64}
          disabled={tags.length >= MAX_TAGS}
          onChange={({ target }) => setWord(target.value)}
          onKeyDown={(event) => {
            // Enter in a form would send it; while a word is composed, it ends the word.
            if (event.key !== "Enter" || event.nativeEvent.isComposing || word.trim() === "") return;
            event.preventDefault();
            add();
          }}
          onBlur={add}
          error={error}
        />
        <Button onClick={add}>Add</Button>
      </div>
      {tags.length === 0 ? null : (
        <ul aria-label="Tags of this memory" className="flex flex-wrap gap-2">
          {tags.map((tag) => (
            <li key={tag} className="inline-flex items-center gap-1 rounded-full bg-sunken pl-3 text-sm">
              <Name>{tag}</Name>
              <button
                type="button"
                aria-label={`Take away ${tag}`}
                onClick={() => remove(tag)}
                className="inline-flex size-7 items-center justify-center rounded-full text-quiet hover:bg-hover hover:text-ink"
              >
                <X aria-hidden className="size-3.5" />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
