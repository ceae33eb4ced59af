/** Validates the arguments that a person edited in an approval, by the rules for a model's own, and hashes them. */
import { getSandboxRules } from "../agents/agent.ts";
import { ok, type Failure, type Result } from "../base/errors.ts";
import type { FilesPort } from "../ports/files.ts";
import type { ReviseJob } from "./rpc.ts";
import type { RevisedCall } from "../task/commands.ts";
import { BY_PRINCIPAL } from "../model/label-messages.ts";
import type { AppRightsPort } from "../ports/app-rights.ts";
import { checkCall, rulePolicy } from "./admit.ts";
import { openAction } from "./app-access.ts";
import { hashArguments } from "../gateway/arguments-hash.ts";
import { bindFiles } from "../gateway/bind-files.ts";
import { toMissingToolFailure, type Toolset } from "./toolset.ts";
import { findModelUse } from "../gateway/model-use.ts";
import { findTouches } from "../gateway/touches.ts";

/**
 * Validates edited arguments. Where the policy asks, the edit counts as the approval; where it denies, this fails with
 * `blocked_by_policy`, and invalid arguments are `invalid_input` with fields named `arguments.<field>`. Absent `appRights`: the
 * tenant has no apps.
 */
export async function reviseCall(
  job: ReviseJob,
  toolset: Pick<Toolset, "resolve" | "admits" | "skills" | "isPart">,
  files: FilesPort,
  appRights?: AppRightsPort,
): Promise<Result<RevisedCall>> {
  const tool = toolset.resolve(job.tool);
  if (tool === null) return { ok: false, error: toMissingToolFailure(job.tool, toolset) };
  const { facts, account } = job;
  const context = { facts, toolset, context: BY_PRINCIPAL, isByPerson: true } as const;
  const checked = checkCall(tool, job.arguments, context);
  const allowed = await openAction(tool, facts.agent.id, appRights);
  if (!allowed.ok) return allowed;
  // The account stays the one that the approval shows.
  const admitted = checked.ok ? rulePolicy(allowed.value, checked.value, context) : checked;
  if (!admitted.ok) return { ok: false, error: toBodyFields(admitted.error) };
  const { arguments: given, terms, security } = admitted.value;
  const bound = await bindFiles(tool, given, { files, sandbox: getSandboxRules(facts.agent.config) });
  if (!bound.ok) return { ok: false, error: toBodyFields({ ...bound.error, code: "invalid_input" }) };
  const touches = findTouches(tool, given, terms.effect, account);
  const argumentsHash = await hashArguments(tool.name, given, account);
  const { files: named } = bound.value;
  const uploads = tool.upload === undefined ? {} : { hasUploads: named.length > 0 };
  const level = security === undefined ? {} : { security };
  const known = { ...terms, touches, ...level, ...findModelUse(tool, given) };
  return ok({ arguments: given, argumentsHash, ...known, files: named, ...uploads });
}

/** Renames an error's fields from those of the arguments to those of the request. */
function toBodyFields(failure: Failure): Failure {
  if (failure.code !== "invalid_input") return failure;
  const toBodyField = (field: string) => (field === "arguments" ? field : `arguments.${field}`);
  const { field = "arguments", fields = [{ field, message: failure.message }] } = failure;
  return {
    ...failure,
    field: toBodyField(field),
    fields: fields.map((one) => ({ field: toBodyField(one.field), message: one.message })),
  };
}
