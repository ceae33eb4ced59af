import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPublicAddress, judgeUrl, parseEgressAllow } from "../../../adapters/egress/address.ts";

const NOTHING = parseEgressAllow("");

const PUBLIC = [
  "1.1.1.1",
  "8.8.8.8",
  "93.184.215.14",
  "172.15.0.1",
  "172.32.0.1",
  "100.128.0.1",
  "192.167.1.1",
  "223.255.255.254",
];
const PUBLIC_V6 = ["2606:4700:4700::1111", "2a00:1450:4001:81b::200e", "2001:4860:4860::8888", "2600::"];

const NOT_PUBLIC = [
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "10.255.255.255",
  "100.64.0.1",
  "100.100.100.200",
  "127.0.0.1",
  "127.255.255.254",
  "169.254.169.254",
  "169.254.170.2",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.192",
  "192.0.2.1",
  "192.88.99.1",
  "192.168.0.1",
  "198.18.0.1",
  "198.51.100.7",
  "203.0.113.7",
  "224.0.0.1",
  "239.255.255.250",
  "240.0.0.1",
  "255.255.255.255",
  "168.63.129.16",
];

const NOT_PUBLIC_V6 = [
  "::",
  "::1",
  "::127.0.0.1",
  "::8.8.8.8",
  "::ffff:127.0.0.1",
  "::ffff:8.8.8.8",
  "::ffff:7f00:1",
  "::ffff:0:127.0.0.1",
  "0:0:0:0:0:ffff:7f00:1",
  "64:ff9b::7f00:1",
  "64:ff9b::808:808",
  "64:ff9b:1::7f00:1",
  "100::1",
  "2001::1",
  "2001:0:53aa:64c:0:fb:80ff:fffe",
  "2001:1::1",
  "2001:2::1",
  "2620:4f:8000::1",
  "100:0:0:1::1",
  "4000::1",
  "2001:10::1",
  "2001:20::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "2002:808:808::1",
  "2001:470:1::5efe:7f00:1",
  "2001:470:1::200:5efe:7f00:1",
  "3fff::1",
  "5f00::1",
  "fc00::1",
  "fd00:ec2::254",
  "fd20:ce::254",
  "fe80::1",
  "fe80::1%eth0",
  "2606:4700::1%1",
  "fec0::1",
  "ff02::1",
];

const OTHER_SPELLINGS = [
  "127.1",
  "2130706433",
  "0x7f000001",
  "0177.0.0.1",
  "0x7f.1",
  "08.8.8.8",
  "8.8.8",
  "134744072",
  "1.1.1.1.",
  " 1.1.1.1",
  "",
  "one",
  "1.1.1.256",
  "[::1]",
];

describe("an address", () => {
  it.each([...PUBLIC, ...PUBLIC_V6])("%s is public", (address) => expect(isPublicAddress(address)).toBe(true));

  it.each([...NOT_PUBLIC, ...NOT_PUBLIC_V6, ...OTHER_SPELLINGS])("%s is not public", (address) =>
    expect(isPublicAddress(address)).toBe(false),
  );

  it("with an embedded IPv4 address is not public", () => {
    const byte = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(fc.tuple(byte, byte, byte, byte), ([a, b, c, d]) => {
        const dotted = `${a}.${b}.${c}.${d}`;
        const [high, low] = [((a << 8) | b).toString(16), ((c << 8) | d).toString(16)];
        for (const form of [
          `::${dotted}`,
          `::ffff:${dotted}`,
          `::ffff:0:${dotted}`,
          `64:ff9b::${dotted}`,
          `64:ff9b:1::${high}:${low}`,
          `2002:${high}:${low}::1`,
          `2001:0:${high}:${low}::1`,
          `fe80::5efe:${dotted}`,
        ]) {
          expect(isPublicAddress(form), form).toBe(false);
        }
      }),
    );
  });
});

describe("a URL", () => {
  it.each([
    "https://example.com/",
    "http://example.com/a?b=c#d",
    "https://EXAMPLE.com.",
    "https://example.com:443/",
    "http://example.com:443/",
    "https://1.1.1.1/",
    "https://[2606:4700:4700::1111]/",
    "https://bücher.example.org/",
    "https://internal.example.com/",
    "https://localhost.example.com/",
    "https://mylocal.io/",
  ])("%s may be requested", (url) => expect(judgeUrl(url, NOTHING)).toMatchObject({ ok: true, opened: false }));

  it.each([
    ...NOT_PUBLIC.map((address) => `http://${address}/`),
    ...NOT_PUBLIC_V6.map((address) => `http://[${address}]/`),
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0x7f.0x0.0x0.0x1/",
    "http://0177.0.0.1/",
    "http://017700000001/",
    "http://127.0.0.1./",
    "http://127。0。0。1/",
    "http://①②⑦.0.0.1/",
    "http://0/",
    "http://%31%32%37.0.0.1/",
    "http://[::ffff:127.0.0.1]/",
    "http://[fe80::1%25eth0]/",
    "http://localhost/",
    "http://LOCALHOST/",
    "http://localhost./",
    "http://localhost../",
    "http://a.localhost/",
    "http://ip6-localhost/",
    "http://router/",
    "http://metadata/",
    "http://metadata.google.internal/computeMetadata/v1/",
    "http://metadata.google.internal./",
    "http://instance-data.ec2.internal/",
    "http://metadata.tencentyun.com/",
    "http://printer.local/",
    "http://db.internal/",
    "http://nas.home.arpa/",
  ])("%s leads inward and is rejected", (url) => expect(judgeUrl(url, NOTHING).ok).toBe(false));

  it.each([
    "ftp://example.com/",
    "file:///etc/passwd",
    "gopher://example.com/",
    "data:text/plain,hello",
    "javascript:alert(1)",
    "blob:https://example.com/1",
    "ws://example.com/",
    "//example.com/",
    "/path",
    "",
    "http://",
    "http:///",
    "not a url",
    "http://user@example.com/",
    "http://user:pass@example.com/",
    "http://:pass@example.com/",
    "http://example.com@127.0.0.1/",
    "http://example.com:22/",
    "http://example.com:8080/",
    "http://example.com:0/",
    "http://example.com:65536/",
    `http://example.com/${"a".repeat(9_000)}`,
  ])("%s is rejected", (url) => expect(judgeUrl(url, NOTHING).ok).toBe(false));

  it("with any numeric form of a loopback address is rejected", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0x7f000000, max: 0x7fffffff }), fc.constantFrom(8, 10, 16), (address, radix) => {
        const prefix = { 8: "0", 10: "", 16: "0x" }[radix];
        expect(judgeUrl(`http://${prefix}${address.toString(radix)}/`, NOTHING).ok).toBe(false);
      }),
    );
  });

  it("is judged without an exception, for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(typeof judgeUrl(text, NOTHING).ok).toBe("boolean");
        expect(typeof judgeUrl(`http://${text}/`, NOTHING).ok).toBe("boolean");
        expect(typeof isPublicAddress(text)).toBe("boolean");
      }),
    );
  });
});

describe("the allow list", () => {
  const allow = parseEgressAllow("127.0.0.1:9000, mock.internal:80,[::1]:8443,LocalHost:7000");

  it.each([
    "http://127.0.0.1:9000/x",
    "http://0x7f000001:9000/",
    "http://mock.internal/",
    "https://[0:0::1]:8443/",
    "http://localhost.:7000/",
  ])("opens %s", (url) => expect(judgeUrl(url, allow)).toMatchObject({ ok: true, opened: true }));

  it.each([
    "http://127.0.0.1:9001/",
    "http://127.0.0.2:9000/",
    "http://127.0.0.1/",
    "http://localhost:9000/",
    "https://mock.internal/",
    "http://a.mock.internal/",
    "http://[::1]:8444/",
    "http://[::ffff:127.0.0.1]:9000/",
    "ftp://127.0.0.1:9000/",
    "http://me@127.0.0.1:9000/",
  ])("does not open %s", (url) => expect(judgeUrl(url, allow).ok).toBe(false));

  it.each([
    "localhost",
    "localhost:",
    ":80",
    "http://localhost:80",
    "a:b",
    "*:80:90",
    "a b:80",
    "u@h:80",
    "h:99999",
    "h:80/x",
  ])("rejects the entry %s", (entry) => expect(() => parseEgressAllow(entry)).toThrow(RangeError));

  it("ignores spaces and empty entries", () => expect(parseEgressAllow(" , ,").size).toBe(0));
});
