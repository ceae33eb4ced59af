import { describe, expect, test } from "vitest";
import { expectProblem, knock, makeCaller } from "../http/entry.ts";

describe("the console's page", () => {
  test.each(["/", "/tasks", "/tasks/task_01m7/files/a.html", "/slack", "/webhooks", "/mcp-servers", "/sign-in"])(
    "is served at %s, runs its own scripts only, and is revalidated each time",
    async (path) => {
      const page = await knock("GET", path);
      expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
      expect(page.text).toContain('<div id="root">');
      expect(page.headers.get("cache-control")).toBe("no-cache");
      const policy = page.headers.get("content-security-policy")?.split("; ");
      for (const rule of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"])
        expect(policy).toContain(rule);
      expect(policy?.join()).not.toMatch(/unsafe|https?:|\*/);
      expect(page.headers.get("cross-origin-opener-policy")).toBe("same-origin");
      expect(page.headers.get("permissions-policy")).toContain("camera=()");
      expect(page.headers.get("x-content-type-options")).toBe("nosniff");
      expect(page.headers.get("referrer-policy")).toBe("no-referrer");
      expect(page.headers.get("x-frame-options")).toBe("DENY");
      expect(page.headers.get("x-request-id")).toMatch(/^req_/);
      expect(page.headers.get("set-cookie")).toBeNull();
    },
  );

  test("has no script or style of its own in it, and loads nothing from elsewhere", async () => {
    const { text } = await knock("GET", "/");
    expect(text).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|style=|(?:src|href)="(?!\/(?!\/))/);
  });

  test("loads files that never change under their names", async () => {
    const { text } = await knock("GET", "/");
    const files = Array.from(text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g), ([, path = ""]) => path);
    expect(files.length).toBeGreaterThan(0);
    for (const path of files) {
      const file = await knock("GET", path);
      expect([path, file.status]).toEqual([path, 200]);
      expect(file.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(file.headers.get("content-type")).toMatch(/^text\/(javascript|css)/);
    }
  });

  test("is not sent again while it is the same", async () => {
    const page = await knock("GET", "/");
    const etag = page.headers.get("etag") ?? "";
    expect(etag).not.toBe("");
    const again = await knock("GET", "/", { headers: { "if-none-match": etag } });
    expect([again.status, again.text]).toEqual([304, ""]);
    expect(again.headers.get("cache-control")).toBe("no-cache");
    const head = await knock("HEAD", "/");
    expect([head.status, head.text, head.headers.get("etag")]).toEqual([200, "", etag]);
  });
});

describe("an address that is not of the console", () => {
  test("and that the API does not have is a problem, for reads too", async () => {
    const paths = ["/api", "/api/none", "/slack/none", "/webhook/a/b", "/mcp", "/health/x", "/docs/x", "/oauth/x"];
    for (const path of paths) expectProblem(await knock("GET", path), 404);
    const { send } = await makeCaller();
    for (const path of ["/v1/none", "/api/tools/none"]) expectProblem(await send("GET", path), 404);
  });

  test("or a file of another build is a problem, and is not cached", async () => {
    const gone = await knock("GET", "/assets/index-00000000.js");
    expectProblem(gone, 404);
    expect(gone.headers.get("cache-control")).toBe("no-store");
  });

  test("takes what it took", async () => {
    const health = await knock("POST", "/health");
    expectProblem(health, 405);
    expect(health.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
    const page = await knock("POST", "/tasks");
    expectProblem(page, 405);
    expect(page.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
    expect((await knock("OPTIONS", "/tasks")).status).toBe(204);
  });

  test("cannot be reached by a way around its form", async () => {
    for (const path of [
      "//evil.test/",
      "/..%2f..%2fetc/passwd",
      "/%2e%2e/wrangler.toml",
      "/assets/../../wrangler.toml",
    ]) {
      const answer = await knock("GET", path);
      expect([path, answer.headers.get("location")]).toEqual([path, null]);
      expect(answer.text).not.toContain("compatibility_date");
    }
  });
});

describe("a task's file, opened by a browser that is signed in", () => {
  test.each([
    ["page.html", "text/html", "<script>fetch('/v1/keys')</script>"],
    ["picture.svg", "image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>"],
    ["page.xhtml", "application/xhtml+xml", "<html xmlns='http://www.w3.org/1999/xhtml'><script>1</script></html>"],
    ["feed.xml", "text/xml", "<x xmlns:h='http://www.w3.org/1999/xhtml'><h:script>1</h:script></x>"],
    ["paper.pdf", "application/pdf", "%PDF-1.7"],
    ["script.js", "text/javascript", "alert(1)"],
  ])("is saved and never run: %s", async (name, type, text) => {
    const { send } = await makeCaller();
    const task = (await send("POST", "/v1/tasks", { input: "x", hold: true })).json.id;
    const path = `/v1/tasks/${task}/files/${name}`;
    expect((await send("PUT", path, text, { "content-type": type })).status).toBe(201);
    const signedIn = await send("POST", "/v1/session/links", {});
    const link = new URL(signedIn.json.url).hash.slice(1);
    const session = await knock("POST", "/v1/session", {
      headers: { "content-type": "application/json", "cf-connecting-ip": `file of ${name}` },
      body: JSON.stringify({ link }),
    });
    const cookie = session.headers.get("set-cookie")?.split(";")[0] ?? "";
    for (const method of ["GET", "HEAD"]) {
      const file = await knock(method, path, { headers: { cookie, "sec-fetch-site": "none" } });
      expect(file.status).toBe(200);
      expect(file.headers.get("content-disposition")).toBe(`attachment; filename="${name}"; filename*=UTF-8''${name}`);
      expect(file.headers.get("x-content-type-options")).toBe("nosniff");
      expect(file.headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
      expect(file.headers.get("cross-origin-resource-policy")).toBe("same-origin");
    }
  });
});
