/** Requests for apps that name no caller: refused, and at most 60 a minute and address. */
import { describe, expect, test } from "vitest";
import { expectProblem, knock, makeCaller } from "../http/entry.ts";

const PATH = "/api/tools/marketplace";

describe("a request for apps without a key", () => {
  test("is refused, and after sixty a minute the address has to wait", async () => {
    const headers = { "cf-connecting-ip": "198.51.100.60" };
    const ask = async () => await knock("GET", PATH, { headers });
    expectProblem(await ask(), 401);
    let asked = 1;
    // The platform's minutes begin by the clock: one may begin between two requests.
    for (let status = 401; status === 401 && asked < 200; asked += 1) ({ status } = await ask());
    expect(asked).toBeGreaterThan(60);
    expect(asked).toBeLessThan(123);
    const refused = await ask();
    expectProblem(refused, 429);
    expect(refused.headers.get("retry-after")).toBe("60");

    for (const more of [{ authorization: "x" }, { authorization: "Bearer otto_x" }, { cookie: "otto_session=x" }])
      expectProblem(await knock("GET", PATH, { headers: { ...headers, ...more } }), 429);
    expectProblem(await knock("GET", PATH, { headers: { "cf-connecting-ip": "198.51.100.61" } }), 401);
    const { send } = await makeCaller();
    expect((await send("GET", PATH, undefined, headers)).status).toBe(200);
  });
});
