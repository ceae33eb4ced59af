/** Codebases of a git server, in archives and in folders: what is read of each, and what never is. */
import { readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { makeZip } from "../../mock-servers/make-zip.ts";
import { type GitMockServer, startGitServer } from "../../mock-servers/git-server.ts";
import { type CodeWorld, failureOf, openCodeWorld, valueOf } from "./world.ts";

const LONG = { timeout: 60_000 } as const;
const CART = `import { send } from "./api.ts";

/** What a customer buys. */
export class Cart {
  /** Adds an item. */
  addItem(item: string): void {
    send(item);
    this.log.write(item);
  }
}
`;
const TOKEN = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";

let git: GitMockServer;
let world: CodeWorld;

beforeAll(async () => {
  git = await startGitServer();
  world = await openCodeWorld(`127.0.0.1:${git.port}`);
});
afterAll(async () => {
  await world.close();
  await git.close();
});

function gitSource(repository: string, ref: string | null = null) {
  return { kind: "git", url: `${git.origin}/${repository}/.git`, ref, authorization: null };
}

describe("a git repository", LONG, () => {
  it("is read with symbols, comments, calls and chunks", async () => {
    const commit = git.commit("shop", { "src/cart.ts": CART, "notes.txt": "Carts hold items.\n" });
    const { facts, files } = valueOf(await world.read(gitSource("shop")));
    expect(facts).toMatchObject({ commit, changed: 2, unchanged: 0, deleted: [], without_symbols: false });
    const cart = files.get("src/cart.ts");
    expect(cart?.language).toBe("typescript");
    expect(cart?.symbols).toEqual([
      {
        name: "Cart",
        kind: "class",
        signature: "export class Cart",
        doc: "What a customer buys.",
        start_line: 4,
        end_line: 10,
        calls: [],
      },
      {
        name: "Cart.addItem",
        kind: "method",
        signature: "addItem(item: string): void",
        doc: "Adds an item.",
        start_line: 6,
        end_line: 9,
        calls: ["send", "write"],
      },
    ]);
    expect(cart?.chunks[0]?.words).toEqual(expect.arrayContaining(["additem", "add", "item", "customer"]));
    expect(files.get("notes.txt")).toMatchObject({ language: "text", symbols: [], lines: 2 });
  });

  it("is read again by its changes only", async () => {
    git.commit("again", { "a.py": "def a(): pass\n", "b.py": "def b(): pass\n", "c.py": "def c(): pass\n" });
    const first = valueOf(await world.read(gitSource("again")));
    const known = Object.fromEntries([...first.files].map(([path, { hash }]) => [path, hash]));
    git.commit("again", { "b.py": "def b2(): pass\n", "c.py": null, "d.py": "def d(): pass\n" });
    const { facts, files } = valueOf(await world.read(gitSource("again"), { "known.json": JSON.stringify(known) }));
    expect(facts).toMatchObject({ unchanged: 1, changed: 2, deleted: ["c.py"] });
    expect([...files.keys()]).toEqual(["b.py", "d.py"]);
  });

  it("of 1,000 files is read as far as ten changed", async () => {
    const toFiles = (from: number, to: number, text: string) =>
      Object.fromEntries(Array.from({ length: to - from }, (_, file) => [`f${from + file}.py`, `${text}${file}\n`]));
    git.commit("thousand", toFiles(0, 1_000, "a = "));
    const first = valueOf(await world.read(gitSource("thousand")));
    expect(first.files.size).toBe(1_000);
    const known = Object.fromEntries([...first.files].map(([path, { hash }]) => [path, hash]));
    const changed = toFiles(500, 510, "b = ");
    git.commit("thousand", changed);
    const again = valueOf(await world.read(gitSource("thousand"), { "known.json": JSON.stringify(known) }));
    expect(again.facts).toMatchObject({ unchanged: 990, changed: 10, deleted: [] });
    expect([...again.files.keys()].toSorted()).toEqual(Object.keys(changed).toSorted());
  });

  it("is read at a branch, a tag or a commit", async () => {
    const first = git.commit("refs", { "a.go": "package a\nfunc Old() {}\n" });
    git.git("refs", ["tag", "v1"]);
    git.commit("refs", { "a.go": "package a\nfunc New() {}\n" });
    for (const ref of ["v1", first])
      expect(valueOf(await world.read(gitSource("refs", ref))).files.get("a.go")?.symbols[0]?.name).toBe("Old");
    expect(valueOf(await world.read(gitSource("refs", "main"))).files.get("a.go")?.symbols[0]?.name).toBe("New");
    expect(failureOf(await world.read(gitSource("refs", "absent")))).toMatchObject({
      code: "invalid_input",
      message: "The repository has no branch, tag or commit absent. Check the ref.",
    });
  });

  it("leaves out links, ignored and denied files, secrets, binaries and large files", async () => {
    git.commit(
      "mixed",
      {
        ".gitignore": "generated/\n",
        "generated/out.js": "function ignored() {}\n",
        ".env": "A=1\n",
        "config/secrets.yml": "a: 1\n",
        "deploy/id_rsa": "x\n",
        "keys/server.pem": "x\n",
        "src/token.ts": `export const token = "${TOKEN}";\n`,
        "src/key.txt": "-----BEGIN OPENSSH PRIVATE KEY-----\n",
        "logo.png": new Uint8Array([137, 80, 78, 71, 0, 1]),
        "latin.txt": new Uint8Array([0xe9, 0x20, 0xff]),
        "large.sql": "x".repeat(1_000_001),
        "ok.rb": "def fine; end\n",
      },
      (folder) => symlinkSync("/etc/passwd", join(folder, "passwd.txt")),
    );
    const { facts, files } = valueOf(await world.read(gitSource("mixed")));
    expect([...files.keys()].toSorted()).toEqual([".gitignore", "ok.rb", "passwd.txt"]);
    // git writes a link as a file with its target.
    expect(files.get("passwd.txt")?.chunks[0]?.text).toBe("/etc/passwd");
    expect(facts.skipped).toEqual({ binary: 2, too_large: 1, ignored: 1, denied: 3, secret: 3, link: 0 });
  });

  it("gives the cage neither the credentials nor any other request", async () => {
    const authorization = `Basic ${Buffer.from("x-access-token:canary-9a1f").toString("base64")}`;
    const closed = await startGitServer({ authorization });
    const own = await openCodeWorld(`127.0.0.1:${closed.port}`);
    try {
      closed.commit("private", { "a.py": "def a(): pass\n" });
      const source = { kind: "git", url: `${closed.origin}/private/.git`, ref: null };
      expect(failureOf(await own.read({ ...source, authorization: null }))).toMatchObject({
        code: "permission_denied",
      });
      const read = valueOf(await own.read({ ...source, authorization }));
      expect(read.files.size).toBe(1);
      expect(
        closed.requests.every(({ url }) => /\/info\/refs\?service=git-upload-pack$|\/git-upload-pack$/.test(url)),
      ).toBe(true);
      expect(JSON.stringify([read.facts, ...read.files.values()])).not.toContain("canary");
    } finally {
      await own.close();
      await closed.close();
    }
  });

  it("does not follow a redirect, nor carry credentials to its target", async () => {
    const other = await startGitServer();
    const moved = await startGitServer({
      intercept: (request, response) => {
        response.writeHead(301, { location: `${other.origin}${request.url ?? ""}` }).end();
        return true;
      },
    });
    const own = await openCodeWorld(`127.0.0.1:${moved.port},127.0.0.1:${other.port}`);
    try {
      other.commit("a", { "a.py": "x = 1\n" });
      const source = { kind: "git", url: `${moved.origin}/a/.git`, ref: null, authorization: "Basic abc" };
      expect(failureOf(await own.read(source))).toMatchObject({ code: "invalid_input" });
      expect(other.requests).toEqual([]);
    } finally {
      await own.close();
      await moved.close();
      await other.close();
    }
  });

  it.each([
    ["http://example.com/a.git", "invalid_input"],
    ["http://127.0.0.1:1/a.git", "blocked_by_policy"],
    ["https://127.0.0.1/a.git", "blocked_by_policy"],
    ["https://10.0.0.1/a.git", "blocked_by_policy"],
    ["https://metadata.google.internal/a.git", "blocked_by_policy"],
    ["https://ana:pw@example.com/a.git", "invalid_input"],
    ["file:///etc", "invalid_input"],
    ["ext::sh -c id", "invalid_input"],
  ])("is refused at %s", async (url, code) => {
    const read = await world.read({ kind: "git", url, ref: null, authorization: null });
    expect(failureOf(read).code).toBe(code);
  });

  it.each(["--upload-pack=id", "a..b", "+a:b", "a b", ""])("is refused at the ref %j", async (ref) => {
    expect(failureOf(await world.read(gitSource("shop", ref))).code).toBe("invalid_input");
  });

  it("leaves nothing behind", async () => {
    await vi.waitFor(() => expect(readdirSync(world.folder)).toEqual([]), { timeout: 10_000 });
  });
});

describe("an archive", LONG, () => {
  it("is read without the folder that it has everything in", async () => {
    const zip = await makeZip([
      { path: "shop-main/src/cart.ts", bytes: CART },
      { path: "shop-main/README.md", bytes: "# Shop\n" },
      { path: "shop-main/.gitignore", bytes: "*.log\n" },
      { path: "shop-main/a.log", bytes: "x\n" },
      { path: "shop-main/.env", bytes: "A=1\n" },
    ]);
    const { facts, files } = valueOf(await world.read({ kind: "zip" }, { "source.zip": zip }));
    expect([...files.keys()].toSorted()).toEqual([".gitignore", "README.md", "src/cart.ts"]);
    expect(facts).toMatchObject({ commit: null, skipped: { ignored: 1, denied: 1 } });
  });

  it("writes nothing outside, through links, or into git's own folder", async () => {
    const zip = await makeZip([
      { path: "../up.py", bytes: "x = 1\n" },
      { path: "/abs.py", bytes: "x = 1\n" },
      { path: "a/../../b.py", bytes: "x = 1\n" },
      { path: "c\\d.py", bytes: "x = 1\n" },
      { path: ".git/config", bytes: "[core]\n\tfsmonitor = touch hacked.py\n" },
      { path: "sub/.git/hooks/post-checkout", bytes: "#!/bin/sh\n" },
      { path: "link.py", bytes: "/etc/passwd", mode: 0o120777 },
      { path: "ok.py", bytes: "def fine(): pass\n" },
    ]);
    const { facts, files } = valueOf(await world.read({ kind: "zip" }, { "source.zip": zip }));
    expect([...files.keys()]).toEqual(["ok.py"]);
    expect(facts.skipped).toMatchObject({ denied: 6, link: 1 });
  });

  it("is refused when it is damaged, encrypted, states a false size, or names a file twice", async () => {
    const good = { path: "a.py", bytes: "x = 1\n".repeat(100) };
    for (const [zip, word] of [
      [new TextEncoder().encode("no archive at all, only text"), "end is missing"],
      [await makeZip([{ ...good, flags: 0x801 }]), "encrypted"],
      [await makeZip([{ ...good, size: 10 }]), "damaged"],
      [await makeZip([{ ...good, crc: 1 }]), "damaged"],
      [await makeZip([{ ...good, method: 12 }]), "not supported"],
      [await makeZip([good, good]), "conflicts"],
      [await makeZip([good, { path: "a.py/b.py", bytes: "x" }]), "conflicts"],
    ] as const)
      expect(failureOf(await world.read({ kind: "zip" }, { "source.zip": zip }))).toMatchObject({
        code: "invalid_input",
        message: expect.stringContaining(word),
      });
  });

  it("is refused when it unpacks to more than the limit", async () => {
    const large = { bytes: "a", isStored: true, size: 999_999 };
    const bomb = await makeZip(Array.from({ length: 215 }, (_, index) => ({ path: `${index}.txt`, ...large })));
    expect(failureOf(await world.read({ kind: "zip" }, { "source.zip": bomb }))).toMatchObject({ code: "too_large" });
    const dense = await makeZip([{ path: "a.txt", bytes: "a".repeat(5_000_000), size: 900_000 }]);
    expect(failureOf(await world.read({ kind: "zip" }, { "source.zip": dense }))).toMatchObject({
      code: "invalid_input",
    });
    const many = await makeZip(
      Array.from({ length: 20_001 }, (_, index) => ({ path: `${index}.txt`, isStored: true })),
    );
    expect(failureOf(await world.read({ kind: "zip" }, { "source.zip": many }))).toMatchObject({
      code: "too_large",
      message: expect.stringContaining("20001 files"),
    });
  });
});

describe("files of a project", LONG, () => {
  it("are read, and a configuration of git among them runs nothing", async () => {
    const { files } = valueOf(
      await world.read(
        { kind: "files" },
        {
          "files/a.sh": "# Says hello.\nhello() { echo hi; }\n",
          "files/.git/config": "[core]\n\tfsmonitor = touch hacked.py\n",
          "files/deep/b.php": "<?php function b() {}\n",
        },
      ),
    );
    expect([...files.keys()].toSorted()).toEqual(["a.sh", "deep/b.php"]);
    expect(files.get("a.sh")?.symbols).toMatchObject([{ name: "hello", doc: "Says hello.", calls: ["echo"] }]);
  });

  it("are absent from an empty project", async () => {
    expect(valueOf(await world.read({ kind: "files" })).files.size).toBe(0);
  });

  it("are found by their text when they cannot be parsed in time", async () => {
    const { files } = valueOf(await world.read({ kind: "files" }, { "files/deep.js": "a(".repeat(400_000) }));
    expect(files.get("deep.js")?.chunks.length).toBeGreaterThan(0);
  });
});
