/** Writes slides.pptx with pptxgenjs, which is no part of what reads it. Run by hand: node make-slides.mjs */
import PptxGenJS from "pptxgenjs";

const PIXEL = "image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const deck = new PptxGenJS();
deck.title = "Orchard";
deck.defineSlideMaster({
  title: "PLAIN",
  objects: [
    { placeholder: { options: { name: "title", type: "title", x: 0.5, y: 0.2, w: 9, h: 1 }, text: "" } },
    { placeholder: { options: { name: "body", type: "body", x: 0.5, y: 1.5, w: 9, h: 3 }, text: "" } },
  ],
});
const first = deck.addSlide({ masterName: "PLAIN" });
first.addText("What grew", { placeholder: "title" });
first.addText(
  [
    { text: "apples", options: { bullet: true, breakLine: true } },
    { text: "red ones", options: { bullet: true, indentLevel: 1, breakLine: true } },
    { text: "pears", options: { bullet: true } },
  ],
  { x: 0.5, y: 1.5, w: 9, h: 2 },
);
first.addNotes("Say that the summer was long.");
const second = deck.addSlide({ masterName: "PLAIN" });
second.addText("Figures & links", { placeholder: "title" });
second.addTable([["Fruit", "Crates"], ["Apple", "12"], ["Pear | ripe", "7"]], { x: 0.5, y: 1.5, w: 6 });
second.addText([{ text: "the orchard", options: { hyperlink: { url: "https://example.com/orchard" } } }], { x: 0.5, y: 4, w: 5, h: 0.5 });
second.addImage({ data: PIXEL, x: 7, y: 3, w: 1, h: 1, altText: "a pixel" });
await deck.writeFile({ fileName: "slides.pptx" });
