import { describe, expect, test } from "vitest";
import { isOwnHost, readAddress } from "../../../core/web/own-hosts.ts";

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

  test("of a public address is foreign without that setting", () => {
    expect(isOwnHost("otto.example.com", null)).toBe(false);
    expect(isOwnHost("localhost", null)).toBe(true);
  });
});

describe("the address of a request", () => {
  const addressOf = (target: string, host: string | null, forwardedProto: string | null = null) =>
    readAddress({ target, host, forwardedProto });

  test.each([
    ["/v1/tasks?limit=1", "localhost:8787", "http://localhost:8787/v1/tasks?limit=1"],
    ["//evil.example/x", "localhost", "http://localhost//evil.example/x"],
    ["/", "[::1]:8787", "http://[::1]:8787/"],
    ["http://localhost:8787/x?y", "localhost:8787", "http://localhost:8787/x?y"],
    ["HTTPS://LOCALHOST/x", "localhost", "http://localhost/x"],
  ])("%s at %s is %s", (target, host, address) => {
    expect(addressOf(target, host)).toBe(address);
  });

  test.each([
    ["*", "localhost"],
    ["health", "localhost"],
    ["localhost:443", "localhost:443"],
    ["file:///x", "localhost"],
    ["http://evil.example/", "localhost"],
    ["http://localhost:1/", "localhost:2"],
    ["http://user@localhost/", "localhost"],
    ["/", null],
    ["/", ""],
    ["/", "localhost, localhost"],
    ["/", "localhost:99999"],
  ])("%s at %j has no address", (target, host) => {
    expect(addressOf(target, host)).toBeNull();
  });

  test("has the scheme that a proxy names first", () => {
    const names = ["https", "HTTPS, http", "http, https", "ftp", ""];
    const schemes = names.map((name) => addressOf("/", "localhost", name)?.split(":", 1)[0]);
    expect(schemes).toEqual(["https", "https", "http", "http", "http"]);
  });
});
