/** What a page says in place of, or above, its content: nothing there yet, not there now, something went wrong. */
import { CircleAlert, Info, RotateCw, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { toApiError } from "../api/problem.ts";
import { Button } from "./button.tsx";
import { classes } from "./classes.ts";

const TONES = {
  info: { look: "border-info bg-info-soft", Icon: Info, ink: "text-info" },
  warn: { look: "border-warn bg-warn-soft", Icon: TriangleAlert, ink: "text-warn" },
  danger: { look: "border-danger bg-danger-soft", Icon: CircleAlert, ink: "text-danger" },
} as const;

export function Notice({
  tone = "info",
  title,
  children,
  action,
}: {
  readonly tone?: keyof typeof TONES;
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}) {
  const { look, Icon, ink } = TONES[tone];
  return (
    <div role={tone === "danger" ? "alert" : "status"} className={classes("flex gap-3 rounded-lg border p-3", look)}>
      <Icon aria-hidden className={classes("mt-0.5 size-5 shrink-0", ink)} />
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <p className="font-medium">{title}</p>
        {children === undefined ? null : <div className="text-sm">{children}</div>}
        {action === undefined ? null : <div className="mt-1">{action}</div>}
      </div>
    </div>
  );
}

/** What the API refused or could not do: what happened, each field's fault, and the number to quote. */
export function ProblemNotice({
  error,
  onRetry,
  doing,
}: {
  readonly error: unknown;
  readonly onRetry?: () => void;
  readonly doing?: string;
}) {
  const { message, problem, isPassing } = toApiError(error);
  return (
    <Notice
      tone="danger"
      title={doing === undefined ? message : `${doing}: ${message}`}
      action={
        onRetry === undefined ? undefined : (
          <Button size="small" icon={<RotateCw aria-hidden className="size-4" />} onClick={onRetry}>
            Try again
          </Button>
        )
      }
    >
      {problem?.errors === undefined || problem.errors.length === 0 ? null : (
        <ul className="list-disc pl-5">
          {problem.errors.map(({ field, message: fault }) => (
            <li key={`${field} ${fault}`}>
              <code className="font-mono">{field}</code>: {fault}
            </li>
          ))}
        </ul>
      )}
      {problem?.request_id === undefined || !isPassing ? null : (
        <p className="text-quiet">Request {problem.request_id}</p>
      )}
    </Notice>
  );
}

/** A list with nothing in it: what would stand here, and what to do first. */
export function Empty({
  title,
  children,
  action,
}: {
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center gap-3 rounded-lg border border-dashed border-edge px-6 py-12 text-center">
      <p className="text-base font-medium">{title}</p>
      {children === undefined ? null : <div className="max-w-prose text-quiet">{children}</div>}
      {action}
    </div>
  );
}

/** Grey lines of the height of what is being read, so that nothing jumps when it comes. */
export function Skeleton({
  rows = 3,
  height = "h-12",
  label = "Loading",
}: {
  readonly rows?: number;
  readonly height?: string;
  readonly label?: string;
}) {
  return (
    <div role="status" aria-label={label} className="flex flex-col gap-2">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className={classes("w-full animate-pulse rounded-md bg-sunken", height)} />
      ))}
    </div>
  );
}
