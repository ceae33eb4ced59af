/** Form fields: each with its label, its hint, and what is wrong with it, tied together for screen readers. */
import { type ComponentProps, type ReactNode, useId } from "react";
import { classes } from "./classes.ts";

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | null | undefined;
  /** Keeps the label for screen readers alone, where the place says what the field is. */
  readonly hidesLabel?: boolean;
  readonly className?: string | undefined;
}

const BOX =
  "w-full min-h-10 rounded-md border bg-surface px-3 py-2 text-ink placeholder:text-quiet disabled:opacity-60 aria-invalid:border-danger border-edge";

function Frame({
  id,
  label,
  hint,
  error,
  hidesLabel = false,
  className,
  children,
}: FieldProps & { readonly id: string; readonly children: ReactNode }) {
  return (
    <div className={classes("flex flex-col gap-1", className)}>
      <label htmlFor={id} className={hidesLabel ? "sr-only" : "text-sm font-medium"}>
        {label}
      </label>
      {children}
      {hint === undefined ? null : (
        <p id={`${id}-hint`} className="text-sm text-quiet">
          {hint}
        </p>
      )}
      {error ? (
        <p id={`${id}-error`} className="text-sm text-danger">
          {error}
        </p>
      ) : null}
    </div>
  );
}

function describedBy(id: string, hint: unknown, error: unknown): string | undefined {
  const ids = [hint === undefined ? null : `${id}-hint`, error ? `${id}-error` : null].filter((one) => one !== null);
  return ids.length === 0 ? undefined : ids.join(" ");
}

export function TextField({
  label,
  hint,
  error,
  hidesLabel,
  className,
  ...input
}: FieldProps & ComponentProps<"input">) {
  const id = useId();
  return (
    <Frame {...{ id, label, hint, error, className }} hidesLabel={hidesLabel ?? false}>
      <input
        {...input}
        id={id}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy(id, hint, error)}
        className={BOX}
      />
    </Frame>
  );
}

export function TextArea({
  label,
  hint,
  error,
  hidesLabel,
  className,
  isCode = false,
  rows = 4,
  ...input
}: FieldProps & ComponentProps<"textarea"> & { readonly isCode?: boolean }) {
  const id = useId();
  return (
    <Frame {...{ id, label, hint, error, className }} hidesLabel={hidesLabel ?? false}>
      {/* It grows with its text, and a box that does so takes no height from `rows`. */}
      <textarea
        rows={rows}
        style={{ minHeight: `calc(${rows}lh + 1.125rem)` }}
        {...input}
        id={id}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy(id, hint, error)}
        // As text: Preact leaves out an attribute that is false.
        spellCheck={isCode ? "false" : undefined}
        className={classes(BOX, "field-sizing-content max-h-[60dvh]", isCode && "font-mono text-sm")}
      />
    </Frame>
  );
}

export function SelectField({
  label,
  hint,
  error,
  hidesLabel,
  className,
  children,
  ...select
}: FieldProps & ComponentProps<"select">) {
  const id = useId();
  return (
    <Frame {...{ id, label, hint, error, className }} hidesLabel={hidesLabel ?? false}>
      <select
        {...select}
        id={id}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy(id, hint, error)}
        className={BOX}
      >
        {children}
      </select>
    </Frame>
  );
}

export function CheckField({ label, hint, error, className, ...input }: FieldProps & ComponentProps<"input">) {
  const id = useId();
  return (
    <div className={classes("flex flex-col gap-1", className)}>
      <label htmlFor={id} className="flex min-h-6 items-start gap-2">
        <input
          {...input}
          id={id}
          type="checkbox"
          aria-invalid={error ? true : undefined}
          aria-describedby={describedBy(id, hint, error)}
          className="mt-1 size-4 shrink-0 accent-(--accent)"
        />
        <span>{label}</span>
      </label>
      {hint === undefined ? null : (
        <p id={`${id}-hint`} className="pl-6 text-sm text-quiet">
          {hint}
        </p>
      )}
      {error ? (
        <p id={`${id}-error`} className="pl-6 text-sm text-danger">
          {error}
        </p>
      ) : null}
    </div>
  );
}
