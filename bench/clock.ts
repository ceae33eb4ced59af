/** The time that all processes of a bench share, in milliseconds: the machine's own steady clock. */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
