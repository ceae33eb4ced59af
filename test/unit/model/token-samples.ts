/** Texts that estimates of tokens are held to: kinds of ordinary text, and prose of many languages. */

/** A text of `count` lines. */
export function lines(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join("\n");
}

const PEOPLE = ["Ann", "Bob", "Eve", "Tom", "Kim"];
const CITIES = ["Rome", "Oslo", "Bonn", "Lima"];
const pick = (from: readonly string[], index: number) => from[index % from.length] ?? "";

function makeItems(length: number) {
  return Array.from({ length }, (_, id) => ({
    id,
    name: `Item ${id}`,
    tags: ["new", "sale"],
    price: id * 9.99,
    on: id % 2 === 0,
    to: null,
  }));
}

/** Ordinary text by its kind, at least 2,000 characters each. */
export const ORDINARY: Readonly<Record<string, string>> = {
  "a log": lines(
    80,
    (i) => `2026-11-23T12:${10 + (i % 50)}:00.${100 + i}Z INFO worker-${i % 5} GET /v1/tasks/${i * 31} 200 ${i}ms`,
  ),
  HTML: lines(60, (i) => `<li class="item"><a href="https://example.com/p/${i}">Item number ${i}</a></li>`),
  "HTML with prose": lines(
    30,
    (i) =>
      `<div class="card mt-4 p-2"><h2 id="s${i}">Our plans</h2><p>We made it easy for you to <b>try</b> it all for free.</p></div>`,
  ),
  "one sentence of short words": "The cat sat on the mat and the dog ran ".repeat(60),
  "two short words": "yes no ".repeat(400),
  "single letters": "a b c d e f g ".repeat(150),
  "short words with signs":
    "The cat sat on the mat and the dog ran to the end of the road. We saw him go up to it, and he was not in. ".repeat(
      25,
    ),
  "a story":
    "Once upon a time there was a king who had three sons. The first was tall and strong, the second was quick of mind, and the youngest was kind to all he met. One day the old king called them to his bed and said: I am old and soon I must die. Go out into the world, and who of you brings me the best of gifts shall have my crown. So they took their leave, and each went his own way. ".repeat(
      6,
    ),
  "a short mail":
    "Hi Anna,\n\nThanks for your note. I will call the bank on Monday and let you know what they say. Can you send me the bill for May? We paid it twice, I think.\n\nBest,\nTom\n\n".repeat(
      14,
    ),
  chat: "ok so do i go left or right at the top? go left, it is not far. see you at 5! lol ok :) brb\n".repeat(24),
  "quotation marks":
    "“I don’t know,” she said. “It’s late — we’ll go home now.” He didn’t look up; the rain… it wouldn’t stop. ".repeat(
      20,
    ),
  contractions:
    "I don't think it's what they'd want, but we'll see if he's in. You can't say I'm not fair, isn't that so? ".repeat(
      20,
    ),
  capitals: "PLEASE NOTE: DO NOT OPEN THE DOOR. THIS IS A TEST OF THE ALARM. ".repeat(32),
  "terms of a contract":
    "The Contractor shall indemnify and hold harmless the Company from and against any and all claims, liabilities, damages, and expenses (including reasonable attorneys' fees) arising out of or in connection with this Agreement. ".repeat(
      10,
    ),
  "a text of science":
    "Photosynthesis converts electromagnetic radiation into chemical energy; chlorophyll absorbs wavelengths in the visible spectrum, and the resulting electron transport establishes a proton gradient across the thylakoid membrane. ".repeat(
      9,
    ),
  "a list": "- buy milk and eggs\n- call mum at six\n- pay the rent\n- fix the bike\n- get new shoes for Ben\n".repeat(
    25,
  ),
  "a numbered list": lines(60, (i) => `${i + 1}. Step ${i + 1}: open the box and take out item ${i * 3}`),
  "a table of short cells": `| name | age | city | paid |\n| --- | ---: | --- | --- |\n${lines(
    100,
    (i) => `| ${pick(PEOPLE, i)} | ${20 + (i % 50)} | ${pick(CITIES, i)} | ${i % 3 === 0 ? "no" : "yes"} |`,
  )}`,
  CSV: lines(
    100,
    (i) =>
      `${i},${pick(PEOPLE, i)},${(i * 37.5).toFixed(2)},2026-0${1 + (i % 9)}-1${i % 9},${i % 3 === 0 ? "no" : "yes"}`,
  ),
  "values between tabs": lines(120, (i) => `${i}\t${pick(PEOPLE, i)} Roy\t${i * 37}\t${i % 3 === 0 ? "open" : "done"}`),
  YAML: lines(
    40,
    (i) =>
      `- name: item-${i}\n  kind: service\n  ports:\n    - ${8000 + i}\n  env:\n    LOG_LEVEL: info\n    REGION: eu-west-${i % 3}`,
  ),
  SQL: lines(
    30,
    (i) =>
      `SELECT u.id, u.name, count(*) AS n FROM users u JOIN orders o ON o.user_id = u.id WHERE o.total > ${i * 10} GROUP BY u.id ORDER BY n DESC LIMIT ${i};`,
  ),
  "a shell script":
    'for f in *.log; do\n  if [ -f "$f" ]; then\n    gzip -9 "$f" && mv "$f.gz" /var/log/old/\n  fi\ndone\n'.repeat(25),
  Python:
    'def read_rows(path: str) -> list[dict]:\n    """Read all rows of a CSV file."""\n    with open(path, newline="") as f:\n        rows = [dict(r) for r in csv.DictReader(f) if r["id"]]\n    return sorted(rows, key=lambda r: int(r["id"]))\n\n'.repeat(
      10,
    ),
  "JavaScript without blanks":
    "function a(b,c){var d=b.length;for(var e=0;e<d;e++){if(c(b[e],e))return!0}return!1}var f=window.f||{};f.g=function(h){return h&&h.i?h.i:null};".repeat(
      15,
    ),
  "JSON of an API": JSON.stringify(makeItems(40), null, 2),
  "JSON of an API without blanks": JSON.stringify(makeItems(60)),
  Markdown:
    "## How to start\n\n1. Run `npm install`.\n2. Set `API_KEY` in `.env`.\n\n**Note:** see [the guide](docs/guide.md) for more.\n\n```bash\nnpm run dev -- --port 3000\n```\n\n".repeat(
      15,
    ),
  paths: lines(60, (i) => `src/pages/task/timeline/call-detail-${i}.tsx:${i * 3}:12`),
  addresses: lines(40, (i) => `https://www.example.com/shop/en/item/${i * 31}?ref=mail&utm_source=news&page=${i}`),
  "decimal numbers": lines(100, (i) => `${(i * 1234.567).toFixed(3)} ${i * 99_991} ${(i / 7).toFixed(6)}`),
};

/** Short prose, a few sentences of a language each. */
export const PROSE = {
  russian:
    "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью и должны поступать в отношении друг друга в духе братства. Каждый человек имеет право на жизнь, на свободу и на личную неприкосновенность.",
  german:
    "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt und sollen einander im Geist der Brüderlichkeit begegnen. Jeder hat das Recht auf Leben, Freiheit und Sicherheit der Person.",
  french:
    "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de conscience et doivent agir les uns envers les autres dans un esprit de fraternité. Tout individu a droit à la vie, à la liberté et à la sûreté de sa personne.",
  spanish:
    "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón y conciencia, deben comportarse fraternalmente los unos con los otros. Todo individuo tiene derecho a la vida, a la libertad y a la seguridad de su persona.",
  chinese:
    "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。人人有权享有生命、自由和人身安全。任何人不得使为奴隶或奴役；一切形式的奴隶制度和奴隶买卖，均应予以禁止。",
  japanese:
    "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、理性と良心とを授けられており、互いに同胞の精神をもって行動しなければならない。すべて人は、生命、自由及び身体の安全に対する権利を有する。",
  korean:
    "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 양심을 부여받았으며 서로 형제애의 정신으로 행동하여야 한다. 모든 사람은 생명과 신체의 자유와 안전에 대한 권리를 가진다.",
  arabic:
    "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق، وقد وهبوا عقلا وضميرا وعليهم أن يعامل بعضهم بعضا بروح الإخاء. لكل فرد الحق في الحياة والحرية وسلامة شخصه.",
  hindi:
    "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है। उन्हें बुद्धि और अन्तरात्मा की देन प्राप्त है और परस्पर उन्हें भाईचारे के भाव से बर्ताव करना चाहिए।",
  greek:
    "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Είναι προικισμένοι με λογική και συνείδηση, και οφείλουν να συμπεριφέρονται μεταξύ τους με πνεύμα αδελφοσύνης.",
};

/** Languages of which an estimate is further off, or nearly; the most that it may be off, in percent. */
export const FURTHER_LANGUAGES: readonly (readonly [language: string, percent: number, text: string])[] = [
  [
    "Italian",
    27,
    "Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Essi sono dotati di ragione e di coscienza e devono agire gli uni verso gli altri in spirito di fratellanza. Non so se hai già letto il libro che ti ho dato la settimana scorsa, ma mi piacerebbe sapere che cosa ne pensi.",
  ],
  [
    "Portuguese",
    17,
    "Todos os seres humanos nascem livres e iguais em dignidade e em direitos. Dotados de razão e de consciência, devem agir uns para com os outros em espírito de fraternidade. Não sei se você já viu o que eu mandei ontem, mas a gente precisa falar sobre isso antes do fim do mês.",
  ],
  [
    "Dutch",
    17,
    "Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Zij zijn begiftigd met verstand en geweten, en behoren zich jegens elkander in een geest van broederschap te gedragen. Ik weet niet of je het al gezien hebt, maar we moeten morgen om tien uur op kantoor zijn voor de vergadering.",
  ],
  [
    "Swedish",
    17,
    "Alla människor är födda fria och lika i värde och rättigheter. De är utrustade med förnuft och samvete och bör handla gentemot varandra i en anda av broderskap. Jag vet inte om du har sett det än, men vi måste vara på kontoret i morgon klockan tio.",
  ],
  [
    "Polish",
    17,
    "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa. Nie wiem, czy już widziałeś wiadomość, którą wysłałem wczoraj wieczorem, ale musimy porozmawiać przed końcem tygodnia.",
  ],
  [
    "Czech",
    17,
    "Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem a svědomím a mají spolu jednat v duchu bratrství. Nevím, jestli jsi už viděl zprávu, kterou jsem ti poslal včera večer.",
  ],
  [
    "Turkish",
    17,
    "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler ve birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler. Dün akşam gönderdiğim mesajı görüp görmediğini bilmiyorum ama hafta sonundan önce konuşmamız gerekiyor.",
  ],
  [
    "Finnish",
    27,
    "Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan. Heille on annettu järki ja omatunto, ja heidän on toimittava toisiaan kohtaan veljeyden hengessä. En tiedä, oletko jo nähnyt viestin, jonka lähetin sinulle eilen illalla, mutta meidän täytyy puhua ennen viikonloppua.",
  ],
  [
    "Hungarian",
    17,
    "Minden emberi lény szabadon születik és egyenlő méltósága és joga van. Az emberek, ésszel és lelkiismerettel bírván, egymással szemben testvéri szellemben kell hogy viseltessenek. Nem tudom, láttad-e már az üzenetet, amelyet tegnap este küldtem neked.",
  ],
  [
    "Vietnamese",
    20,
    "Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền lợi. Mọi con người đều được tạo hoá ban cho lý trí và lương tâm và cần phải đối xử với nhau trong tình bằng hữu. Tôi không biết bạn đã xem tin nhắn mà tôi gửi tối qua chưa, nhưng chúng ta cần nói chuyện trước cuối tuần.",
  ],
  [
    "Indonesian",
    27,
    "Semua orang dilahirkan merdeka dan mempunyai martabat dan hak-hak yang sama. Mereka dikaruniai akal dan hati nurani dan hendaknya bergaul satu sama lain dalam semangat persaudaraan. Saya tidak tahu apakah kamu sudah melihat pesan yang saya kirim tadi malam.",
  ],
  [
    "Swahili",
    35,
    "Watu wote wamezaliwa huru, hadhi na haki zao ni sawa. Wote wamejaliwa akili na dhamiri, hivyo yapasa watendeane kindugu. Sijui kama umeona ujumbe niliokutumia jana usiku.",
  ],
  [
    "Romanian",
    20,
    "Toate ființele umane se nasc libere și egale în demnitate și în drepturi. Ele sunt înzestrate cu rațiune și conștiință și trebuie să se comporte unele față de altele în spiritul fraternității.",
  ],
];
