import { LoaderCircle } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { classes } from "./classes.ts";
import { honestProse } from "./visible-text.ts";

const LOOKS = {
  primary: "bg-accent text-accent-ink border-transparent hover:brightness-110",
  plain: "bg-surface text-ink border-edge hover:bg-hover",
  quiet: "bg-transparent text-ink border-transparent hover:bg-hover",
  danger: "bg-surface text-danger border-danger hover:bg-danger-soft",
} as const;

interface ButtonProps extends ComponentProps<"button"> {
  readonly look?: keyof typeof LOOKS;
  readonly size?: "normal" | "small";
  /** Its action is under way: it stays focusable, says so, and takes no second press. */
  readonly isBusy?: boolean;
  readonly icon?: ReactNode;
}

/** The look of a button, for a link that stands among buttons. */
export function buttonClasses(look: keyof typeof LOOKS = "plain", size: "normal" | "small" = "normal"): string {
  return classes(
    "inline-flex items-center justify-center gap-2 rounded-md border font-medium whitespace-nowrap select-none",
    size === "small" ? "min-h-8 px-2.5 text-sm" : "min-h-10 px-3.5",
    LOOKS[look],
  );
}

export function Button({
  look = "plain",
  size = "normal",
  isBusy = false,
  icon,
  children,
  className,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={classes(buttonClasses(look, size), "disabled:opacity-55 disabled:cursor-not-allowed", className)}
      aria-disabled={isBusy || rest["aria-disabled"]}
      aria-busy={isBusy}
      onClick={(event) => {
        if (isBusy) event.preventDefault();
        else rest.onClick?.(event);
      }}
    >
      {isBusy ? <LoaderCircle aria-hidden className="size-4 animate-spin" /> : icon}
      {children}
    </button>
  );
}

/** A button that shows only a picture; `label` is what it does, for every reader. */
export function IconButton({
  label,
  children,
  className,
  ...rest
}: ComponentProps<"button"> & { readonly label: string }) {
  return (
    <button
      type="button"
      aria-label={honestProse(label)}
      title={honestProse(label)}
      {...rest}
      className={classes(
        "inline-flex size-9 items-center justify-center rounded-md text-quiet hover:bg-hover hover:text-ink disabled:cursor-not-allowed disabled:opacity-40",
        className,
      )}
    >
      {children}
    </button>
  );
}
