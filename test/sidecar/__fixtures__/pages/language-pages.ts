/** Pages in scripts other than Latin, in several layouts. */
import { application, blog, encyclopedia, hashed, newspaper, office } from "./layouts.ts";
import { makePage, type SamplePage } from "./sample-page.ts";
import { ARABIC, CHINESE, GREEK, HEBREW, HINDI, JAPANESE, KOREAN, RUSSIAN, THAI } from "./site-words.ts";

export const LANGUAGE_PAGES: readonly SamplePage[] = [
  makePage(newspaper, JAPANESE, {
    name: "japanese-news",
    kind: "language",
    title: "古い灯台が図書館に生まれ変わる",
    main: `<p>岬の先に立つ灯台が、来年の春に小さな図書館として開館する。市は昨日の会議で計画を承認した。</p><p>蔵書は約三千冊で、海や船に関する本が中心となる。最上階には読書用の椅子が六脚置かれ、窓から湾全体を見渡せる。</p><p>工事費は一億二千万円で、詳細は<a href="/keikaku/toudai">計画書</a>に記されている。</p>`,
    sentences: ["岬の先に立つ灯台が、来年の春に小さな図書館として開館する。", "最上階には読書用の椅子が六脚置かれ、窓から湾全体を見渡せる。"],
    links: ["https://site.example/keikaku/toudai"],
  }),
  makePage(hashed, CHINESE, {
    name: "chinese-news",
    kind: "language",
    title: "老桥加固工程提前完工",
    main: `<p>横跨东河的百年石桥加固工程于上周五完工，比原计划提前了两个月。</p><p>工程师在桥墩内部安装了四十八个传感器，用来监测水位和振动。数据每十分钟更新一次，任何人都可以在<a href="https://shuju.example/qiao">开放数据平台</a>上查看。</p><p>从下月起，小型货车可以重新通行，但载重不得超过五吨。</p>`,
    sentences: ["横跨东河的百年石桥加固工程于上周五完工，比原计划提前了两个月。", "从下月起，小型货车可以重新通行，但载重不得超过五吨。"],
    links: ["https://shuju.example/qiao"],
  }),
  makePage(hashed, ARABIC, {
    name: "arabic-news",
    kind: "language",
    title: "افتتاح حديقة جديدة على ضفة النهر",
    main: `<p>افتتحت البلدية أمس حديقة جديدة على الضفة الشرقية للنهر بعد عامين من العمل.</p><p>تضم الحديقة ستين شجرة زيتون ومساراً للمشي طوله ثلاثة كيلومترات، ويمكن الاطلاع على <a href="/khareeta">خريطة المسار</a>.</p><p>تفتح الأبواب من السادسة صباحاً حتى العاشرة مساءً، والدخول مجاني.</p>`,
    sentences: ["افتتحت البلدية أمس حديقة جديدة على الضفة الشرقية للنهر بعد عامين من العمل.", "تفتح الأبواب من السادسة صباحاً حتى العاشرة مساءً، والدخول مجاني."],
    links: ["https://site.example/khareeta"],
  }),
  makePage(blog, RUSSIAN, {
    name: "russian-blog",
    kind: "language",
    title: "Как я чинил старые часы",
    main: `<p>Часы достались мне от деда и молчали двадцать лет. Я думал, что сломана пружина, но дело оказалось в масле.</p><p>Первым делом я снял маятник и промыл механизм бензином. Потом собрал всё заново, по <a href="/shema">схеме из старой книги</a>.</p><p>Теперь они отстают на минуту в неделю, и меня это устраивает.</p>`,
    sentences: ["Часы достались мне от деда и молчали двадцать лет.", "Теперь они отстают на минуту в неделю, и меня это устраивает."],
    links: ["https://site.example/shema"],
  }),
  makePage(office, GREEK, {
    name: "greek-office",
    kind: "language",
    title: "Άδεια στάθμευσης κατοίκων",
    main: `<p>Κάθε κάτοικος του κέντρου μπορεί να ζητήσει μία άδεια στάθμευσης, η οποία ισχύει για δύο χρόνια.</p><h2>Δικαιολογητικά</h2><ul><li>Ταυτότητα ή διαβατήριο.</li><li>Άδεια κυκλοφορίας του οχήματος.</li></ul><p>Η αίτηση υποβάλλεται <a href="/aitisi">ηλεκτρονικά</a> και η απάντηση έρχεται σε πέντε ημέρες.</p>`,
    sentences: ["Κάθε κάτοικος του κέντρου μπορεί να ζητήσει μία άδεια στάθμευσης, η οποία ισχύει για δύο χρόνια.", "Άδεια κυκλοφορίας του οχήματος."],
    links: ["https://site.example/aitisi"],
  }),
  makePage(newspaper, HINDI, {
    name: "hindi-news",
    kind: "language",
    title: "गाँव में पहली बार पहुँची रेल",
    main: `<p>सोमवार की सुबह पहाड़ी गाँव में पहली रेलगाड़ी पहुँची और सैकड़ों लोग उसे देखने आए।</p><p>नई पटरी की लंबाई बयालीस किलोमीटर है और इसे बनाने में छह साल लगे। समय सारणी <a href="/samay">यहाँ</a> मिलती है।</p><p>किसानों को उम्मीद है कि अब उनके सेब दो दिन पहले शहर पहुँचेंगे।</p>`,
    sentences: ["सोमवार की सुबह पहाड़ी गाँव में पहली रेलगाड़ी पहुँची और सैकड़ों लोग उसे देखने आए।", "किसानों को उम्मीद है कि अब उनके सेब दो दिन पहले शहर पहुँचेंगे।"],
    links: ["https://site.example/samay"],
  }),
  makePage(application, KOREAN, {
    name: "korean-app",
    kind: "language",
    title: "오래된 시장에 생긴 작은 극장",
    main: `<div class="css-k1"><p>남쪽 시장의 빈 창고가 백 석 규모의 극장으로 바뀌었다. 첫 공연은 다음 달 초에 열린다.</p></div><div class="css-k1"><p>상인들은 표를 반값에 살 수 있고, 공연이 끝나면 시장은 한 시간 더 문을 연다. 자세한 일정은 <a href="/iljeong">공연 일정</a>에서 볼 수 있다.</p></div>`,
    sentences: ["남쪽 시장의 빈 창고가 백 석 규모의 극장으로 바뀌었다.", "상인들은 표를 반값에 살 수 있고, 공연이 끝나면 시장은 한 시간 더 문을 연다."],
    links: ["https://site.example/iljeong"],
  }),
  makePage(newspaper, THAI, {
    name: "thai-news",
    kind: "language",
    title: "หมู่บ้านริมคลองเปิดตลาดเช้า",
    main: `<p>ชาวบ้านริมคลองเปิดตลาดเช้าทุกวันเสาร์ตั้งแต่ตีห้าถึงเก้าโมง มีผักสดและปลาจากแม่น้ำขาย</p><p>ผู้มาเยือนควรมาทางเรือเพราะไม่มีที่จอดรถ ดูเส้นทางได้ที่<a href="/phaenthi">แผนที่ของหมู่บ้าน</a></p>`,
    sentences: ["ชาวบ้านริมคลองเปิดตลาดเช้าทุกวันเสาร์ตั้งแต่ตีห้าถึงเก้าโมง", "ผู้มาเยือนควรมาทางเรือเพราะไม่มีที่จอดรถ"],
    links: ["https://site.example/phaenthi"],
  }),
  makePage(encyclopedia, HEBREW, {
    name: "hebrew-entry",
    kind: "language",
    title: "מגדל המים הישן",
    main: `<p>מגדל המים הישן הוא מבנה אבן בן שלוש קומות שנבנה בשנת 1924 על הגבעה המזרחית.</p><p>המגדל שימש את התושבים עד 1961, ומאז הוא עומד ריק. בשנת 2018 שופץ על ידי <a href="/wiki/amuta">עמותת השימור</a> ונפתח למבקרים.</p>`,
    sentences: ["מגדל המים הישן הוא מבנה אבן בן שלוש קומות שנבנה בשנת 1924 על הגבעה המזרחית.", "המגדל שימש את התושבים עד 1961, ומאז הוא עומד ריק."],
    links: ["https://site.example/wiki/amuta"],
  }),
];
