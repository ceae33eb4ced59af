import { describe, expect, it } from "vitest";
import { hostIsListed } from "../../core/host-pattern.ts";

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
    expect(hostIsListed(new URL(url), [entry])).toBe(listed);
  });

  it("is false for an empty list", () => {
    expect(hostIsListed(new URL("https://example.com/"), [])).toBe(false);
  });
});
