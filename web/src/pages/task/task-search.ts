/** What the address of a task's page says beside its id. */

const VIEWS = ["tree", "time", "files"] as const;

export interface TaskSearch {
  /** Absent: the timeline. */
  readonly view?: (typeof VIEWS)[number];
  /** The call that is open in the timeline. */
  readonly call?: string;
  /** The path of the file that is shown. */
  readonly file?: string;
}

export function readTaskSearch({ view, call, file }: Record<string, unknown>): TaskSearch {
  const known = VIEWS.find((one) => one === view);
  return {
    ...(known === undefined ? {} : { view: known }),
    ...(typeof call === "string" && call !== "" ? { call } : {}),
    ...(typeof file === "string" && file !== "" ? { file } : {}),
  };
}
