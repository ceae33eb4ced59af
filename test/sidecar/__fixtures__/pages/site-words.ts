/** What sites say around their content, by language. */
export interface SiteWords {
  readonly language: string;
  readonly site: string;
  readonly menu: readonly string[];
  readonly cookies: string;
  readonly accept: string;
  readonly newsletter: string;
  readonly share: readonly string[];
  readonly related: readonly string[];
  readonly footer: readonly string[];
}

export const ENGLISH: SiteWords = {
  language: "en",
  site: "Meridian Gazette",
  menu: ["Homepage", "Politics", "Business", "Lifestyle", "Opinion", "Video", "Podcasts", "Careers", "Subscriptions"],
  cookies: "We and our 214 partners store cookies to personalise advertisements. Manage preferences anytime.",
  accept: "Accept all",
  newsletter: "Sign up for our daily newsletter. Unsubscribe whenever you like.",
  share: ["Facebook", "WhatsApp", "Bookmark", "Copy link"],
  related: [
    "Celebrity couple unveils lavish mansion makeover",
    "Seven gadgets every commuter secretly craves",
    "Quiz: which vintage sitcom neighbour are you?",
    "Horoscope: Capricorns should expect surprises",
  ],
  footer: ["Imprint", "Privacy notice", "Accessibility statement", "Advertise", "Sitemap", "Copyright reserved"],
};

export const GERMAN: SiteWords = {
  language: "de",
  site: "Talbote",
  menu: ["Startseite", "Politik", "Wirtschaft", "Kultur", "Wissen", "Mediathek", "Abonnement", "Stellenmarkt"],
  cookies: "Wir verwenden Cookies, um Inhalte zu personalisieren. Einstellungen lassen sich jederzeit anpassen.",
  accept: "Alle akzeptieren",
  newsletter: "Jetzt Rundbrief bestellen und nichts verpassen.",
  share: ["Teilen", "Drucken", "Merken"],
  related: ["Promi zeigt Luxusvilla", "Zehn Rezepte mit Kürbis", "Großes Gewinnspiel gestartet"],
  footer: ["Impressum", "Datenschutz", "Nutzungsbedingungen", "Werbung schalten"],
};

export const SPANISH: SiteWords = {
  language: "es",
  site: "Diario del Puerto",
  menu: ["Portada", "Política", "Economía", "Deportes", "Gente", "Televisión", "Suscríbete"],
  cookies: "Usamos cookies propias y ajenas para mostrar publicidad. Configura tus preferencias.",
  accept: "Aceptar todo",
  newsletter: "Recibe nuestro boletín gratuito.",
  share: ["Compartir", "Imprimir"],
  related: ["Famosos de vacaciones", "Sorteo extraordinario", "Recetas fáciles"],
  footer: ["Aviso legal", "Política de privacidad", "Contacto", "Publicidad"],
};

export const JAPANESE: SiteWords = {
  language: "ja",
  site: "港新聞",
  menu: ["ホーム", "政治", "経済", "スポーツ", "芸能", "動画", "会員登録"],
  cookies: "当サイトはクッキーを使用して広告を最適化します。",
  accept: "同意する",
  newsletter: "メールマガジンに登録してください。",
  share: ["シェア", "ツイート", "印刷"],
  related: ["人気女優が結婚を発表", "週末の占いランキング", "最新スマホ徹底比較"],
  footer: ["利用規約", "プライバシーポリシー", "お問い合わせ", "広告掲載"],
};

export const CHINESE: SiteWords = {
  language: "zh-CN",
  site: "江城日报",
  menu: ["首页", "财经", "体育", "娱乐", "视频", "注册账号"],
  cookies: "本网站使用缓存技术投放个性化广告。",
  accept: "全部接受",
  newsletter: "订阅每日邮件快讯。",
  share: ["分享", "收藏", "打印"],
  related: ["明星夫妇豪宅曝光", "星座运势早知道", "十款手机横评"],
  footer: ["版权声明", "隐私政策", "联系我们", "广告合作"],
};

export const ARABIC: SiteWords = {
  language: "ar",
  site: "صحيفة الميناء",
  menu: ["الرئيسية", "سياسة", "اقتصاد", "رياضة", "ترفيه", "اشتراك"],
  cookies: "نستخدم ملفات تعريف الارتباط لتخصيص الإعلانات.",
  accept: "موافقة",
  newsletter: "سجل بريدك لاستلام النشرة.",
  share: ["مشاركة", "طباعة"],
  related: ["نجمة تكشف منزلها الفاخر", "أبراج الأسبوع"],
  footer: ["شروط الاستخدام", "سياسة الخصوصية", "أعلن معنا"],
};

export const RUSSIAN: SiteWords = {
  language: "ru",
  site: "Портовые вести",
  menu: ["Главная", "Политика", "Экономика", "Спорт", "Развлечения", "Подписка"],
  cookies: "Мы используем файлы куки для показа рекламы.",
  accept: "Принять",
  newsletter: "Подпишитесь на рассылку.",
  share: ["Поделиться", "Распечатать"],
  related: ["Звезда показала особняк", "Гороскоп на неделю"],
  footer: ["Пользовательское соглашение", "Конфиденциальность", "Реклама на сайте"],
};

export const GREEK: SiteWords = {
  language: "el",
  site: "Νέα του Λιμανιού",
  menu: ["Αρχική", "Πολιτική", "Αθλητικά", "Ψυχαγωγία", "Συνδρομές"],
  cookies: "Χρησιμοποιούμε μπισκότα για διαφημίσεις.",
  accept: "Αποδοχή",
  newsletter: "Εγγραφείτε στο ενημερωτικό δελτίο.",
  share: ["Κοινοποίηση", "Εκτύπωση"],
  related: ["Ηθοποιός παρουσιάζει έπαυλη", "Ζώδια εβδομάδας"],
  footer: ["Όροι χρήσης", "Απόρρητο", "Διαφημιστείτε"],
};

export const HINDI: SiteWords = {
  language: "hi",
  site: "बंदरगाह समाचार",
  menu: ["मुखपृष्ठ", "राजनीति", "खेल", "मनोरंजन", "सदस्यता"],
  cookies: "हम विज्ञापन दिखाने हेतु कुकीज़ लगाते हैं।",
  accept: "स्वीकारें",
  newsletter: "न्यूज़लेटर पाएँ।",
  share: ["साझा", "प्रिंट"],
  related: ["अभिनेत्री ने दिखाई हवेली", "साप्ताहिक राशिफल"],
  footer: ["गोपनीयता नीति", "विज्ञापन दें", "संपर्क"],
};

export const KOREAN: SiteWords = {
  language: "ko",
  site: "항구일보",
  menu: ["홈", "정치", "스포츠", "연예", "구독하기"],
  cookies: "맞춤형 광고를 위해 쿠키를 사용합니다.",
  accept: "모두 동의",
  newsletter: "뉴스레터를 신청하세요.",
  share: ["공유하기", "인쇄"],
  related: ["인기 배우 저택 공개", "이번주 운세"],
  footer: ["이용약관", "개인정보처리방침", "광고문의"],
};

export const THAI: SiteWords = {
  language: "th",
  site: "ข่าวท่าเรือ",
  menu: ["หน้าแรก", "การเมือง", "กีฬา", "บันเทิง", "สมัครสมาชิก"],
  cookies: "เว็บไซต์นี้ใช้คุกกี้เพื่อแสดงโฆษณา",
  accept: "ยอมรับทั้งหมด",
  newsletter: "รับจดหมายข่าวรายวัน",
  share: ["แชร์", "พิมพ์"],
  related: ["ดาราสาวเปิดคฤหาสน์", "ดวงประจำสัปดาห์"],
  footer: ["นโยบายความเป็นส่วนตัว", "ลงโฆษณา"],
};

export const HEBREW: SiteWords = {
  language: "he",
  site: "עיתון הנמל",
  menu: ["ראשי", "פוליטיקה", "ספורט", "בידור", "מנויים"],
  cookies: "אנו משתמשים בעוגיות להצגת פרסומות.",
  accept: "אישור",
  newsletter: "הירשמו לעלון.",
  share: ["שיתוף", "הדפסה"],
  related: ["כוכבת חשפה אחוזה", "הורוסקופ שבועי"],
  footer: ["תנאי שימוש", "מדיניות פרטיות", "פרסמו אצלנו"],
};
