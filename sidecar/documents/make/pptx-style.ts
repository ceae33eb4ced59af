/**
 * Styles a presentation without a template, by changing colours, sizes and positions of pandoc's reference presentation. Lengths are EMU
 * (914,400 per inch), sizes hundredths of a point; a slide is 9,144,000 by 5,143,500.
 */
import { getOwn } from "../../../core/base/own-field.ts";
import { OFFICE_FONT } from "./docx-style.ts";
import { changePart, type OfficeParts } from "./office-file.ts";

const COLOURS: Readonly<Record<string, string>> = {
  dk2: "1F4E79",
  lt2: "E4ECF5",
  accent1: "1F4E79",
  accent2: "C55A11",
  accent3: "2E8B57",
  accent4: "7A5195",
  accent5: "2A9DB5",
  accent6: "D99A00",
  hlink: "0B5CAD",
  folHlink: "7A5195",
};

/** Font sizes of list levels, by pandoc's own sizes. */
const BODY_SIZES: Readonly<Record<string, string>> = { "2400": "1800", "2100": "1600", "1800": "1400", "1500": "1400" };

function resizeLetters(text: string): string {
  return text.replaceAll(/sz="(\d{4})"/g, (_whole, size: string) => `sz="${getOwn(BODY_SIZES, size) ?? size}"`);
}

const DARK = '<p:bg><p:bgPr><a:solidFill><a:schemeClr val="tx2"/></a:solidFill><a:effectLst/></p:bgPr></p:bg>';
const buildDarkStyle = (sz: number, isBold: boolean) =>
  `<a:lvl1pPr marL="0" indent="0" algn="l"><a:buNone/><a:defRPr sz="${sz}"${isBold ? ' b="1"' : ""}><a:solidFill><a:schemeClr val="bg1"/></a:solidFill></a:defRPr></a:lvl1pPr>`;

/** A thin bar below the title. */
const TITLE_RULE = [
  '<p:sp><p:nvSpPr><p:cNvPr id="90" name="Title rule"/><p:cNvSpPr/><p:nvPr userDrawn="1"/></p:nvSpPr><p:spPr>',
  '<a:xfrm><a:off x="548640" y="905000"/><a:ext cx="640080" cy="36576"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom>',
  '<a:solidFill><a:schemeClr val="accent2"/></a:solidFill><a:ln><a:noFill/></a:ln></p:spPr>',
  "<p:txBody><a:bodyPr/><a:lstStyle/><a:p><a:endParaRPr/></a:p></p:txBody></p:sp>",
].join("");

/** Styles pandoc's reference presentation. */
export function stylePptx(parts: OfficeParts): void {
  changePart(parts, "ppt/theme/theme1.xml", styleTheme);
  changePart(parts, "ppt/slideMasters/slideMaster1.xml", styleMaster);
  for (const name of parts.keys()) {
    if (/^ppt\/slideLayouts\/slideLayout\d+\.xml$/.test(name)) changePart(parts, name, styleLayout);
  }
}

function styleTheme(text: string): string {
  const withFonts = text.replaceAll(/<a:latin typeface="[^"]*"/g, `<a:latin typeface="${OFFICE_FONT}"`);
  return Object.entries(COLOURS).reduce(
    (theme, [name, colour]) =>
      theme.replace(new RegExp(`<a:${name}>.*?</a:${name}>`), `<a:${name}><a:srgbClr val="${colour}"/></a:${name}>`),
    withFonts,
  );
}

function styleMaster(text: string): string {
  const titleStyle = /<p:titleStyle>.*?<\/p:titleStyle>/s;
  const bodyStyle = /<p:bodyStyle>.*?<\/p:bodyStyle>/s;
  return text
    .replace(titleStyle, (style) =>
      style
        .replace('algn="ctr"', 'algn="l"')
        .replace(/sz="\d+"/, 'sz="2600" b="1"')
        .replace('schemeClr val="tx1"', 'schemeClr val="tx2"'),
    )
    .replace(bodyStyle, (style) => resizeLetters(style).replaceAll('spcPct val="20000"', 'spcPct val="35000"'))
    .replace(
      '<a:off x="457200" y="205979" /><a:ext cx="8229600" cy="857250" />',
      '<a:off x="457200" y="228600"/><a:ext cx="8229600" cy="640080"/>',
    )
    .replace(
      '<a:off x="457200" y="1200151" /><a:ext cx="8229600" cy="3394472" />',
      '<a:off x="457200" y="1120140"/><a:ext cx="8229600" cy="3520440"/>',
    )
    .replace("</p:spTree>", `${TITLE_RULE}</p:spTree>`);
}

function styleLayout(text: string): string {
  const name = /<p:cSld name="([^"]*)"/.exec(text)?.[1];
  if (name === "Title Slide" || name === "Section Header") return styleDarkLayout(text);
  if (name === "Content with Caption") return styleCaptionLayout(text);
  return resizeLetters(text).replaceAll('y="1200151"', 'y="1120140"').replaceAll('cy="3394472"', 'cy="3520440"');
}

/** Moves the title of a caption layout to its usual position, above text and content. */
function styleCaptionLayout(text: string): string {
  return text
    .replace(/<a:xfrm><a:off x="457201" y="204787"\/>.*?<\/a:xfrm>/, "")
    .replace(
      '<a:bodyPr anchor="b"/><a:lstStyle><a:lvl1pPr algn="l"><a:defRPr sz="1500" b="1"/></a:lvl1pPr></a:lstStyle>',
      "<a:bodyPr/><a:lstStyle/>",
    )
    .replace(
      '<a:off x="3575050" y="204788"/><a:ext cx="5111750" cy="4389835"/>',
      '<a:off x="3575050" y="1120140"/><a:ext cx="5111750" cy="3520440"/>',
    )
    .replace(
      '<a:off x="457201" y="1076326"/><a:ext cx="3008313" cy="3518297"/>',
      '<a:off x="457201" y="1120140"/><a:ext cx="3008313" cy="3520440"/>',
    )
    .replace('<a:buNone/><a:defRPr sz="1050"', '<a:buNone/><a:defRPr sz="1500"');
}

/** Sets white text on the dark colour, without the master's rule. */
function styleDarkLayout(text: string): string {
  const placeShape = (shape: string, box: string, style: string, anchor: string) =>
    shape
      .replace(/<a:xfrm>.*?<\/a:xfrm>/s, box)
      .replace(/<a:bodyPr[^>]*\/>/, `<a:bodyPr anchor="${anchor}"><a:normAutofit/></a:bodyPr>`)
      .replace(/<a:lstStyle\/>|<a:lstStyle>.*?<\/a:lstStyle>/s, `<a:lstStyle>${style}</a:lstStyle>`);
  const box = (y: number, cy: number) =>
    `<a:xfrm><a:off x="731520" y="${y}"/><a:ext cx="7680960" cy="${cy}"/></a:xfrm>`;
  return text
    .replace(/<p:sldLayout /, '<p:sldLayout showMasterSp="0" ')
    .replace(/(<p:cSld name="[^"]*">)/, `$1${DARK}`)
    .replaceAll(/<p:sp>.*?<\/p:sp>/gs, (shape) => {
      if (/<p:ph type="(?:ctrTitle|title)"\/>/.test(shape))
        return placeShape(shape, box(1280160, 1280160), buildDarkStyle(3600, true), "b");
      if (/<p:ph type="(?:subTitle|body)" idx="1"\/>/.test(shape))
        return placeShape(shape, box(2651760, 1188720), buildDarkStyle(1800, false), "t");
      return shape;
    });
}
