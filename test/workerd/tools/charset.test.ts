/** The encodings that pages declare, in the runtime that decodes them. */
import { expect, it } from "vitest";
import { readBody } from "../../../core/web/reply-body.ts";

it.each([
  ["shift_jis", [0x8d, 0x60], "港"],
  ["gb2312", [0xb8, 0xdb], "港"],
  ["euc-kr", [0xc7, 0xd7], "항"],
  ["windows-1251", [0xcf, 0xee], "По"],
  ["iso-8859-7", [0xcb, 0xe9], "Λι"],
])("a body in %s is decoded", (charset, bytes, body) => {
  const read = readBody(new Uint8Array(bytes), `text/html; charset=${charset}`);
  expect(read).toEqual({ body, body_encoding: "text" });
});
