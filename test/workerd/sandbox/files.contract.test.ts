/** The contract of files, on the object and the bucket; and what only they have: projects, tenants, blobs. */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { openFiles, type FilesSettings } from "../../../adapters/files/files.ts";
import { sandboxesFromEnv } from "../../../adapters/env/sandboxes.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import { MAX_CHANGES } from "../../../core/sandbox/change-set.ts";
import type { FileChange } from "../../../core/sandbox/file-change.ts";
import { SANDBOX_MAX_DIRECTORIES } from "../../../core/sandbox/write.ts";
import { filesChangesContract } from "../../contracts/sandbox/files-changes-suite.ts";
import { filesLabelsContract } from "../../contracts/sandbox/files-labels-suite.ts";
import { filesContract } from "../../contracts/sandbox/files-suite.ts";

const bindings: Env = env;
const bytesOf = (text: string) => new TextEncoder().encode(text);
const uniqueId = (prefix: string) => `${prefix}_${crypto.randomUUID()}`;

function open(settings: Partial<FilesSettings> = {}) {
  const sandboxOf = sandboxesFromEnv(bindings);
  const tree = { tenant: uniqueId("ten"), rootId: uniqueId("task"), project: null };
  return openFiles({ sandboxOf, bucket: bindings.FILES, ...tree, ...settings });
}

filesContract("the object and the bucket", () => open());
filesChangesContract("the object and the bucket", () => open());
filesLabelsContract("the object and the bucket", () => open());
filesContract("the object and the bucket, of a task with a project", () => {
  const files = open({ project: "sales" });
  // The suite looks at the task's own files: the project's folder is one more entry at the top.
  return { ...files, list: async (path) => await withoutFolder(files.list(path)) };
});

async function withoutFolder(
  listing: ReturnType<ReturnType<typeof open>["list"]>,
): ReturnType<ReturnType<typeof open>["list"]> {
  const listed = await listing;
  return listed.ok ? { ...listed, value: listed.value.filter(({ path }) => path !== "project") } : listed;
}

describe("changes to a task's own files and to its project's", () => {
  const write = (path: string, text: string, ifVersion = 0): FileChange => ({
    kind: "write",
    path,
    bytes: bytesOf(text),
    ifVersion,
  });
  const place = () => ({ tenant: uniqueId("ten"), rootId: uniqueId("task"), project: "sales" });

  interface Meddling {
    /** Before a task's own sandbox makes its part. */
    readonly before?: () => Promise<unknown>;
    /** After it did. */
    readonly after?: () => Promise<unknown>;
    /** Before a part is taken back. */
    readonly undoing?: () => Promise<unknown>;
  }
  const away = () => Promise.reject(new Error("away"));

  /** The files of a task, with something that happens on the way to its own sandbox. */
  function openMeddled(where: ReturnType<typeof place>, { before, after, undoing }: Meddling) {
    const sandboxOf: FilesSettings["sandboxOf"] = (wanted) => {
      const real = sandboxesFromEnv(bindings)(wanted);
      const commitAll: typeof real.commitAll = async (set) => {
        if (wanted.kind === "project") return await real.commitAll(set);
        await before?.();
        const committed = await real.commitAll(set);
        await after?.();
        return committed;
      };
      const revertAll: typeof real.revertAll = async (set) => {
        await undoing?.();
        return await real.revertAll(set);
      };
      const admitAll: typeof real.admitAll = (set) => real.admitAll(set);
      return { admitAll, commitAll, revertAll } as typeof real;
    };
    return open({ ...where, sandboxOf });
  }

  async function textAt(files: ReturnType<typeof open>, path: string): Promise<string | null> {
    const read = await files.read(path, 100);
    return read.ok ? new TextDecoder().decode(read.value.bytes) : null;
  }

  it("apply to both, or to neither if one of them refuses", async () => {
    const files = open(place());
    await files.write("project/a.txt", bytesOf("old"), { key: "1" });
    expect((await files.apply([write("project/a.txt", "new", 1), write("own.txt", "own")], { key: "2" })).ok).toBe(
      true,
    );
    expect([await textAt(files, "project/a.txt"), await textAt(files, "own.txt")]).toEqual(["new", "own"]);
    const refused = await files.apply([write("project/a.txt", "x", 2), write("own.txt", "x", 7)], { key: "3" });
    expect(refused).toMatchObject({ error: { code: "conflict", fields: [{ field: "own.txt" }] } });
    const other = await files.apply([write("project/a.txt", "x", 7), write("own.txt", "x", 1)], { key: "4" });
    expect(other).toMatchObject({ error: { code: "conflict", fields: [{ field: "project/a.txt" }] } });
    expect([await textAt(files, "project/a.txt"), await textAt(files, "own.txt")]).toEqual(["new", "own"]);
    expect(await files.apply([write("project", "x")], { key: "5" })).toMatchObject({ error: { code: "conflict" } });
  });

  it("are taken back from the project when a task's own file changes between the two", async () => {
    const where = place();
    const files = open(where);
    await files.write("project/kept.txt", bytesOf("kept"), { key: "1" });
    await files.write("project/gone.txt", bytesOf("gone"), { key: "2" });
    const meddled = openMeddled(where, {
      before: () => files.write("own.txt", bytesOf("meanwhile"), { key: "3" }),
    });
    const changes: FileChange[] = [
      write("project/kept.txt", "x", 1),
      { kind: "remove", path: "project/gone.txt", ifVersion: 1 },
      write("project/new/file.txt", "x"),
      write("own.txt", "x"),
    ];
    expect(await meddled.apply(changes, { key: "4" })).toMatchObject({ error: { code: "conflict" } });
    const texts = await Promise.all(
      ["project/kept.txt", "project/gone.txt", "project/new/file.txt", "own.txt"].map((path) => textAt(files, path)),
    );
    expect(texts).toEqual(["kept", "gone", null, "meanwhile"]);
    expect((await files.apply(changes.slice(0, 1), { key: "4" })).ok).toBe(false);
    expect((await files.apply([write("project/kept.txt", "again", 3)], { key: "4" })).ok).toBe(true);
  });

  it("are taken back from both when a task's own sandbox does not say what became of its part", async () => {
    for (const meddling of [{ before: away }, { after: away }]) {
      const where = place();
      const [files, meddled] = [open(where), openMeddled(where, meddling)];
      const changes = [write("project/a.txt", "one"), write("own.txt", "own")];
      const applied = await meddled.apply(changes, { key: "1" });
      expect(applied).toMatchObject({ ok: false, error: { code: "upstream_failed" } });
      expect([await textAt(files, "project/a.txt"), await textAt(files, "own.txt")]).toEqual([null, null]);
      expect((await files.apply(changes, { key: "1" })).ok).toBe(true);
      expect([await textAt(files, "project/a.txt"), await textAt(files, "own.txt")]).toEqual(["one", "own"]);
    }
  });

  it("happen once when an answer is lost on the way", async () => {
    const where = place();
    const [files, lost] = [open(where), { times: 0 }];
    const after = async () => {
      lost.times += 1;
      if (lost.times === 1) throw new Error("lost");
    };
    const changes = [write("project/a.txt", "one"), write("own.txt", "own")];
    expect((await openMeddled(where, { after }).apply(changes, { key: "1" })).ok).toBe(true);
    expect([await textAt(files, "project/a.txt"), await textAt(files, "own.txt")]).toEqual(["one", "own"]);
    expect(await files.stat("own.txt")).toMatchObject({ value: { version: 1 } });
  });

  it("may be there in part when they could not be taken back either, and the failure says so", async () => {
    const meddled = openMeddled(place(), { before: away, undoing: away });
    const applied = await meddled.apply([write("project/a.txt", "one"), write("own.txt", "own")], { key: "1" });
    expect(applied).toMatchObject({ ok: false, error: { code: "outcome_unknown" } });
  });

  it("happen once when the runtime went away between the two and they are made again", async () => {
    const where = place();
    const files = open(where);
    const { promise: isBetween, resolve: reach } = Promise.withResolvers<void>();
    const ended = new Promise<never>(() => undefined);
    const cutOff = openMeddled(where, {
      before: async () => {
        reach();
        return await ended;
      },
    });
    const changes = [write("project/a.txt", "one"), write("own.txt", "own")];
    void cutOff.apply(changes, { key: "1" });
    await isBetween;
    expect([await textAt(files, "project/a.txt"), await textAt(files, "own.txt")]).toEqual(["one", null]);
    await files.write("project/a.txt", bytesOf("two"), { key: "2" });
    expect((await files.apply(changes, { key: "1" })).ok).toBe(true);
    expect([await textAt(files, "project/a.txt"), await textAt(files, "own.txt")]).toEqual(["two", "own"]);
  });
});

it("holds no more directories than a sandbox may, however many files are taken out of theirs", async () => {
  const files = open();
  for (let round = 0; round <= SANDBOX_MAX_DIRECTORIES / MAX_CHANGES; round += 1) {
    const paths = Array.from({ length: MAX_CHANGES }, (_, index) => `${round}-${index}/a.txt`);
    const made = paths.map((path): FileChange => ({ kind: "write", path, bytes: bytesOf("x"), ifVersion: 0 }));
    expect((await files.apply(made, { key: `made ${round}` })).ok).toBe(true);
    const gone = paths.map((path): FileChange => ({ kind: "remove", path, ifVersion: 1 }));
    expect((await files.apply(gone, { key: `gone ${round}` })).ok).toBe(true);
  }
  const listed = await files.list("");
  expect(listed.ok ? listed.value.length : listed.error).toBe(SANDBOX_MAX_DIRECTORIES);
});

describe("the folder of a project", () => {
  it("is shared by the tasks of the project, and their own files are not", async () => {
    const tenant = uniqueId("ten");
    const [one, two] = [open({ tenant, project: "sales" }), open({ tenant, project: "sales" })];
    const written = await one.write("project/notes/a.txt", bytesOf("shared"), { key: "1" });
    expect(written).toMatchObject({ ok: true, value: { path: "project/notes/a.txt", version: 1 } });
    await one.write("own.txt", bytesOf("own"), { key: "2" });
    expect(await two.read("project/notes/a.txt", 100)).toMatchObject({
      ok: true,
      value: { entry: { path: "project/notes/a.txt" } },
    });
    expect(await two.stat("own.txt")).toMatchObject({ ok: false });
    expect(await two.list("")).toMatchObject({
      value: [{ name: "project", path: "project", kind: "directory", size: 6 }],
    });
    expect(await two.list("project")).toMatchObject({ value: [{ path: "project/notes", kind: "directory" }] });
    expect(await two.list("project/notes")).toMatchObject({ value: [{ path: "project/notes/a.txt", kind: "file" }] });
  });

  it("is listed in order at the top, also when it is empty, and no file replaces it", async () => {
    const files = open({ project: "sales" });
    for (const path of ["a.txt", "project-plan.txt", "z.txt", "B.txt"])
      await files.write(path, bytesOf("x"), { key: path });
    const top = await files.list("");
    expect(top.ok && top.value.map(({ name }) => name)).toEqual([
      "B.txt",
      "a.txt",
      "project",
      "project-plan.txt",
      "z.txt",
    ]);
    expect(await files.write("project", bytesOf("x"), { key: "p" })).toMatchObject({ error: { code: "conflict" } });
  });

  it("is another one for another project, for another tenant, and whatever its name is made of", async () => {
    const tenant = uniqueId("ten");
    await open({ tenant, project: "a/b" }).write("project/x.txt", bytesOf("x"), { key: "1" });
    for (const other of [{ tenant, project: "a" }, { tenant, project: "a%2Fb" }, { project: "a/b" }]) {
      expect(await open(other).list("project")).toEqual({ ok: true, value: [] });
    }
    expect(await open({ tenant, project: "a/b" }).stat("project/x.txt")).toMatchObject({ ok: true });
  });

  it("names a path as the task knows it when something is missing", async () => {
    const files = open({ project: "sales" });
    expect(await files.read("project/no.txt", 10)).toMatchObject({
      error: { message: "File not found: project/no.txt" },
    });
    expect(await files.list("project/no")).toMatchObject({ error: { message: "Directory not found: project/no" } });
  });

  it("is a plain directory in a task without a project", async () => {
    const files = open();
    await files.write("project/a.txt", bytesOf("x"), { key: "1" });
    expect(await files.list("project")).toMatchObject({ value: [{ path: "project/a.txt" }] });
  });
});

describe("tenants", () => {
  it("do not see each other's files, also with equal ids of tasks", async () => {
    const rootId = uniqueId("task");
    await open({ rootId }).write("a.txt", bytesOf("secret"), { key: "1" });
    expect(await open({ rootId }).read("a.txt", 100)).toMatchObject({ error: { code: "not_found" } });
  });
});

describe("bytes in the bucket", () => {
  it("are stored under the prefix of the tenant and the tree, once for equal files", async () => {
    const [tenant, rootId] = [uniqueId("ten"), uniqueId("task")];
    const files = open({ tenant, rootId });
    await files.write("a.txt", bytesOf("same"), { key: "1" });
    await files.write("b.txt", bytesOf("same"), { key: "2" });
    const { objects } = await bindings.FILES.list({ prefix: `${tenant}/` });
    const hash = "0967115f2813a3541eaef77de9d9d5773f1c0c04314b0bbfe4ff3b3b1c55b5d5";
    expect(objects.map(({ key }) => key)).toEqual([`${tenant}/tree/${rootId}/blobs/${hash}`]);
  });

  it("are the caller's own bytes, hashed and stored without a copy", async () => {
    const bytes = bytesOf("large");
    const seen: unknown[] = [];
    const digest = crypto.subtle.digest.bind(crypto.subtle);
    const hashing = vi.spyOn(crypto.subtle, "digest").mockImplementation(async (algorithm, data) => {
      seen.push(data);
      return await digest(algorithm, data);
    });
    const put = (key: string, value: Uint8Array, options: R2PutOptions) => {
      seen.push(value);
      return bindings.FILES.put(key, value, options);
    };
    const bucket = { put } as unknown as R2Bucket;
    expect((await open({ bucket }).write("a.bin", bytes, { key: "1" })).ok).toBe(true);
    hashing.mockRestore();
    expect(seen).toHaveLength(2);
    for (const given of seen) expect(given).toBe(bytes);
  });

  it("are stored before the index names them: a failing bucket leaves the old file", async () => {
    const [tenant, rootId] = [uniqueId("ten"), uniqueId("task")];
    const files = open({ tenant, rootId });
    await files.write("a.txt", bytesOf("old"), { key: "1" });
    const failing = { put: () => Promise.reject(new Error("away")) } as unknown as R2Bucket;
    const written = await open({ tenant, rootId, bucket: failing }).write("a.txt", bytesOf("new"), { key: "2" });
    expect(written).toMatchObject({ ok: false, error: { code: "upstream_failed" } });
    const read = await files.read("a.txt", 100);
    expect(read.ok && new TextDecoder().decode(read.value.bytes)).toBe("old");
    expect((await files.write("a.txt", bytesOf("new"), { key: "2" })).ok).toBe(true);
  });
});
