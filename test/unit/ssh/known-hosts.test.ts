import { expect, it } from "vitest";
import { findFingerprints } from "../../../core/ssh/known-hosts.ts";

const KEYS = [`SHA256:${"x".repeat(43)}`];

it.each([
  ["Web1.example.com", "web1.example.com.", 22, true],
  ["web1.example.com:2222", "web1.example.com", 2222, true],
  ["web1.example.com:2222", "web1.example.com", 22, false],
  ["web1.example.com", "web1.example.com", 2222, false],
  ["web1.example.com", "web2.example.com", 22, false],
  ["*", "web1.example.com", 22, false],
  ["[2001:db8::1]:2222", "2001:DB8::1", 2222, true],
  ["2001:db8::1", "[2001:db8:0::1]", 22, true],
  ["münchen.example", "xn--mnchen-3ya.example", 22, true],
])("the keys of %s are for %s, port %i: %s", (listed, host, port, are) => {
  expect(findFingerprints({ [listed]: KEYS }, host, port)).toEqual(are ? KEYS : []);
});
