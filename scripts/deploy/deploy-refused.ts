/** The deployment cannot go on. The message says which field or step is at fault and what to do; it holds no secret. */
export class DeployRefused extends Error {
  override readonly name = "DeployRefused";
}

/** Refuses with every problem in a line of its own, when there is one. */
export function refuseAny(what: string, problems: readonly string[], more = ""): void {
  if (problems.length > 0)
    throw new DeployRefused(`${what}:\n${problems.map((line) => `  - ${line}`).join("\n")}${more}`);
}
