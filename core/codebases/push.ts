/** A push to a repository, as GitHub and its relatives report it, and the codebases that are read from there. Pure. */
import { z } from "zod";
import type { CodebaseSource } from "./codebase.ts";

const url = z.string().max(2_000).nullish();

/** https://docs.github.com/webhooks/webhook-events-and-payloads#push. Events that create or delete a branch name it without `refs/`. */
const pushSchema = z.object({
  ref: z.string().startsWith("refs/").max(300),
  deleted: z.boolean().nullish(),
  repository: z.object({
    clone_url: url,
    html_url: url,
    default_branch: z.string().max(300).nullish(),
  }),
});

/** `ref` is complete: `refs/heads/main`. */
interface Push {
  readonly ref: string;
  readonly isDeletion: boolean;
  readonly repositories: readonly string[];
  readonly defaultRef: string | null;
}

/** Null for a payload of another event. */
export function readPush(payload: unknown): Push | null {
  const read = pushSchema.safeParse(payload);
  if (!read.success) return null;
  const { ref, deleted, repository } = read.data;
  const { clone_url: clone, html_url: page, default_branch: branch } = repository;
  const repositories = [clone, page].flatMap((one) => (one == null ? [] : (normalizeRepository(one) ?? [])));
  const defaultRef = branch == null ? null : `refs/heads/${branch}`;
  return { ref, isDeletion: deleted === true, repositories, defaultRef };
}

/** Whether a codebase is read from the repository and the ref of a push. Without a ref of its own: from the default branch. */
export function isOfPush(source: CodebaseSource, { ref, repositories, defaultRef }: Push): boolean {
  if (!("git" in source)) return false;
  const own = normalizeRepository(source.git);
  if (own === null || !repositories.includes(own)) return false;
  if (source.ref === undefined) return ref === defaultRef;
  return [source.ref, `refs/heads/${source.ref}`, `refs/tags/${source.ref}`].includes(ref);
}

/** Host and path in lower case, as GitHub compares them, without `.git`; null for what is no URL. */
function normalizeRepository(text: string): string | null {
  const parsed = URL.parse(text);
  if (parsed === null) return null;
  const path = parsed.pathname.replace(/\/+$/, "").replace(/\.git$/i, "");
  return `${parsed.host}${path}`.toLowerCase();
}
