/** The files of a task's sandbox as the console reads them: the list, the versions, and the beginning of one. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { answered, api, fileAddress } from "../../../api/client.ts";
import { ApiError } from "../../../api/problem.ts";
import type { FileVersions, Problem, SandboxFile } from "../../../api/types.generated.ts";

/** Files of one page: the most that the API gives. */
const PAGE = 1000;

export function filesQuery(taskId: string) {
  return infiniteQueryOptions({
    queryKey: ["tasks", taskId, "files"],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam }): Promise<{ data: SandboxFile[]; next_cursor: string | null }> =>
      await answered(
        api.GET("/v1/tasks/{id}/files", {
          params: {
            path: { id: taskId },
            query: { limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) },
          },
        }),
      ),
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
}

/** Where a file's versions are: its path keeps its slashes. */
export function versionsAddress(taskId: string, path: string): string {
  return fileAddress(taskId, path).replace("/files/", "/file-versions/");
}

export function versionsQuery(taskId: string, path: string) {
  return queryOptions({
    queryKey: ["tasks", taskId, "files", path, "versions"],
    queryFn: async () => (await (await request(versionsAddress(taskId, path))).json()) as FileVersions,
  });
}

export interface FileStart {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** True when the file is longer than `bytes`. */
  readonly isCut: boolean;
}

/** The first `maxBytes` of a file, and no more of it. `version`: what tells one content of the path from another. */
export function fileStartQuery(taskId: string, path: string, version: string, maxBytes: number) {
  return queryOptions({
    queryKey: ["file-start", taskId, path, version, maxBytes],
    queryFn: async ({ signal }) => await readStart(await request(fileAddress(taskId, path), { signal }), maxBytes),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
}

async function readStart(response: Response, maxBytes: number): Promise<FileStart> {
  const reader = response.body?.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  let isCut = false;
  while (reader !== undefined && !isCut) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value.subarray(0, maxBytes - size));
    isCut = size + value.length > maxBytes;
    size = Math.min(maxBytes, size + value.length);
  }
  if (isCut) await reader?.cancel();
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return { bytes, isCut };
}

/** A request that the API's types do not write down, as its path holds slashes. Throws `ApiError`. */
export async function request(address: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(address, init);
  } catch {
    throw new ApiError(0, null);
  }
  if (response.ok) return response;
  const problem = (await response.json().catch(() => null)) as Problem | null;
  throw new ApiError(response.status, problem);
}
