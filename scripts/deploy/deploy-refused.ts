/** The deployment cannot go on. The message says which field or step is at fault and what to do; it holds no secret. */
export class DeployRefused extends Error {
  override readonly name = "DeployRefused";
}
