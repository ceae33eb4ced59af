import { describe, expect, test } from "vitest";
import { readMailHeaders } from "../../../../core/channels/mail/head.ts";

const headers = (text: string) => readMailHeaders(new TextEncoder().encode(text));

describe("the headers of a mail", () => {
  test("are read up to the first empty line, unfolded, with any line ending", () => {
    for (const end of ["\r\n", "\n"]) {
      const read = headers(["From: ana@example.com", "Subject: a", "\tb", "Message-ID: <1@x>", "", "To: no"].join(end));
      expect(read.get("from")).toBe("ana@example.com");
      expect(read.get("subject")).toBe("a b");
      expect(read.get("message-id")).toBe("<1@x>");
      expect(read.get("to")).toBeNull();
    }
  });

  test("skip invalid lines without an error", () => {
    const read = headers("no header\r\nBad Name: x\r\n: y\r\nGood: é\u0007\r\n(odd): z\r\n\r\n");
    expect([...read.keys()]).toEqual(["good"]);
    expect(headers("").get("from")).toBeNull();
  });
});
