import { describe, expect, it } from "vitest";
import { isHostListed, normalizeHostPattern, isPortListed } from "../../../core/web/host-pattern.ts";

describe("hostIsListed", () => {
  it.each([
    ["https://example.com/", "example.com", true],
    ["https://EXAMPLE.com./x", "Example.COM", true],
    ["https://example.com/", "example.com.", true],
    ["https://www.example.com/", "example.com", false],
    ["https://example.com.evil.net/", "example.com", false],
    ["https://evil.net/example.com", "example.com", false],
    ["https://example.com@evil.net/", "example.com", false],
    ["https://a.example.com/", "*.example.com", true],
    ["https://a.b.example.com/", "*.example.com", true],
    ["https://example.com/", "*.example.com", false],
    ["https://evilexample.com/", "*.example.com", false],
    ["https://a.example.com.evil.net/", "*.example.com", false],
    ["https://example.com/", "*", true],
    ["https://example.com/", "*.com", true],
    ["https://example.com/", "example.*", false],
    ["https://example.com/", "", false],
    ["https://example.com/", "example.com:443", true],
    ["http://example.com/", "example.com:80", true],
    ["http://example.com/", "example.com:443", false],
    ["http://example.com:8080/", "example.com:8080", true],
    ["http://example.com:8080/", "example.com", true],
    ["http://example.com:8080/", "*:80", false],
    ["http://[2606:4700::1]/", "[2606:4700::1]", true],
  ])("%s on the list of %j: %j", (url, entry, listed) => {
    expect(isHostListed(new URL(url), [entry])).toBe(listed);
  });

  it("is false for an empty list", () => {
    expect(isHostListed(new URL("https://example.com/"), [])).toBe(false);
  });
});

describe("the stored form of an entry", () => {
  it.each([
    ["api.example.com", "api.example.com"],
    [" API.Example.com. ", "api.example.com"],
    ["*.Example.com", "*.example.com"],
    ["*.a.example.com:8443", "*.a.example.com:8443"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["127.0.0.1:9000", "127.0.0.1:9000"],
    ["0x7f.1:80", "127.0.0.1:80"],
    ["[::1]:8443", "[::1]:8443"],
    ["localhost:7000", "localhost:7000"],
  ])("of %j is %j, and lists the same hosts", (entry, pattern) => {
    expect(normalizeHostPattern(entry)).toBe(pattern);
    expect(normalizeHostPattern(pattern)).toBe(pattern);
    expect(isHostListed(new URL(`https://${pattern.replace("*", "a")}/`), [pattern])).toBe(true);
  });

  it.each([
    "",
    "*",
    "*.",
    "*.com",
    "*.[::1]",
    "**.example.com",
    "a.*.example.com",
    "https://example.com",
    "example.com/",
    "example.com?x",
    "u@example.com",
    "u:p@example.com",
    "a b.example",
    "example.com:",
    "example.com:99999",
    "example.com:https",
    "a\u0000b.example",
    "{{secret.X}}.example.com",
    "%2a.example.com",
    ":80",
  ])("of %j is invalid", (entry) => {
    expect(normalizeHostPattern(entry)).toBeNull();
  });
});

describe("portIsListed", () => {
  it.each([
    ["https://a.example.com:8443/", "a.example.com:8443", true],
    ["https://a.example.com:8443/", "*.example.com:8443", true],
    ["https://a.example.com:8443/", "a.example.com", false],
    ["https://a.example.com:8443/", "a.example.com:8444", false],
    ["https://a.example.com:8443/", "b.example.com:8443", false],
    ["https://a.example.com:8443/", "*", false],
    ["https://a.example.com:8443/", " *:8443", false],
    ["https://a.example.com/", "a.example.com:443", true],
  ])("%s by %j: %j", (url, entry, listed) => {
    expect(isPortListed(new URL(url), [entry])).toBe(listed);
  });
});
