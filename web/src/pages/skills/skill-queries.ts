/** What the pages of skills read. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { answered, api } from "../../api/client.ts";
import { ApiError } from "../../api/problem.ts";

/** Skills of a page of the list. */
const PAGE = 50;
/** Characters of a file that are shown or compared; the whole is what a download takes. */
export const SHOWN_CHARACTERS = 200_000;

export const skillsQuery = infiniteQueryOptions({
  queryKey: ["skills", "list"],
  queryFn: async ({ pageParam }) => {
    const query = { limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) };
    return await answered(api.GET("/v1/skills", { params: { query } }));
  },
  initialPageParam: null as string | null,
  getNextPageParam: (last) => last.next_cursor,
});

export const skillQuery = (name: string) =>
  queryOptions({
    queryKey: ["skills", name, "present"],
    queryFn: async () => await answered(api.GET("/v1/skills/{name}", { params: { path: { name } } })),
  });

/** A version never changes, except in whether it is the present one. */
export const skillVersionQuery = (name: string, version: string) =>
  queryOptions({
    queryKey: ["skills", name, "version", version],
    queryFn: async () =>
      await answered(api.GET("/v1/skills/{name}/versions/{version}", { params: { path: { name, version } } })),
  });

export const skillVersionsQuery = (name: string) =>
  infiniteQueryOptions({
    queryKey: ["skills", name, "versions"],
    queryFn: async ({ pageParam }) => {
      const query = { limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return await answered(api.GET("/v1/skills/{name}/versions", { params: { path: { name }, query } }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
  });

export const skillDifferenceQuery = (name: string, from: string, to: string) =>
  queryOptions({
    queryKey: ["skills", name, "difference", from, to],
    queryFn: async () => {
      const path = { name, version: from, other: to };
      return await answered(api.GET("/v1/skills/{name}/versions/{version}/difference/{other}", { params: { path } }));
    },
  });

/** Where a file of a version is downloaded from. */
export function skillFileAddress(name: string, path: string, version: string): string {
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  return `/v1/skills/${encodeURIComponent(name)}/files/${encoded}?version=${encodeURIComponent(version)}`;
}

/** A file as text; null for a binary one. */
export const skillFileQuery = (name: string, path: string, version: string) =>
  queryOptions({
    queryKey: ["skills", name, "file", version, path],
    queryFn: async (): Promise<string | null> => {
      const response = await fetch(skillFileAddress(name, path, version)).catch(() => null);
      if (response === null) throw new ApiError(0, null);
      if (!response.ok) throw new ApiError(response.status, null);
      return readText(await response.arrayBuffer());
    },
    // Its bytes never change.
    staleTime: Number.POSITIVE_INFINITY,
  });

function readText(bytes: ArrayBuffer): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}
