import { describe, expect, test } from "vitest";
import { isOwnHost } from "../../core/web/own-hosts.ts";

const PUBLIC = "https://otto.example.com/app";

describe("the host of a request", () => {
  test.each([
    "localhost",
    "localhost:8787",
    "LOCALHOST:8787",
    "otto.localhost:8787",
    "127.0.0.1:8787",
    "[::1]:8787",
    "otto.example.com",
    "otto.example.com:443",
  ])("%s is ours", (host) => {
    expect(isOwnHost(host, PUBLIC)).toBe(true);
  });

  test.each([
    "",
    "evil.example",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "evil.example:8787",
    "localhost, evil.example",
    "localhost evil.example",
    "localhost/x",
    "user@localhost",
    "localhost#x",
    "local\\host",
    "[::1",
    "otto.example.com.evil.example",
    "192.168.0.7:8787",
    "0.0.0.0",
  ])("%j is not", (host) => {
    expect(isOwnHost(host, PUBLIC)).toBe(false);
  });

  test("of a public address is not ours without one", () => {
    expect(isOwnHost("otto.example.com", null)).toBe(false);
    expect(isOwnHost("localhost", null)).toBe(true);
  });
});
