/** The names that mail clients give the headers of a quoted or forwarded mail, in many languages. */

/** What a header contains. */
export type HeaderKind = "from" | "date" | "to" | "subject";

const NAMES: Readonly<Record<HeaderKind, string>> = {
  from:
    "from|von|absender|de|expéditeur|remitente|da|mittente|van|afzender|från|avsändare|fra|afsender|avsender|lähettäjä|od|" +
    "nadawca|odesílatel|odosielateľ|от|от кого|отправитель|від|від кого|feladó|de la|expeditor|от|подател|пошиљалац|" +
    "šalje|pošiljatelj|nuo|no|saatja|kelleltä|από|kimden|gönderen|差出人|送信者|发件人|寄件者|寄件人|보낸 사람|보낸사람|" +
    "발신|من|מאת|จาก|từ|người gửi|dari|pengirim|daripada|प्रेषक|از|frá",
  date:
    "date|sent|datum|gesendet|envoyé|fecha|enviado|enviado el|inviato|data|verzonden|skickat|sendt|sänt|lähetetty|wysłano|" +
    "wysłane|odesláno|odoslané|дата|отправлено|надіслано|дата і час|dátum|elküldve|küldve|trimis|изпратено|poslano|" +
    "išsiųsta|nosūtīts|saadetud|ημερομηνία|στάλθηκε|tarih|gönderildi|gönderme tarihi|日時|日付|送信日時|日期|发送时间|" +
    "发送日期|时间|寄件日期|날짜|보낸 날짜|전송|تاريخ|التاريخ|נשלח|תאריך|วันที่|ngày|đã gửi|tanggal|terkirim|दिनांक|تاریخ",
  to:
    "to|an|à|para|a|per|aan|till|til|vastaanottaja|do|komu|кому|címzett|kime|către|до|за|prima|kam|kellele|προς|alıcı|宛先|" +
    "收件人|收件者|받는 사람|받는사람|수신|إلى|אל|ถึง|đến|tới|kepada|को|به|cc|kopia|kopie|copie|копия|копія|抄送|副本|참조",
  subject:
    "subject|re|betreff|betr|objet|asunto|oggetto|assunto|onderwerp|ämne|emne|aihe|temat|předmět|predmet|тема|tárgy|" +
    "subiect|относно|naslov|tema|temats|teema|θέμα|konu|件名|主题|主題|主旨|제목|الموضوع|נושא|เรื่อง|chủ đề|tiêu đề|subjek|" +
    "perihal|विषय|موضوع|efni",
};

const KINDS: ReadonlyMap<string, HeaderKind> = new Map(
  Object.entries(NAMES).flatMap(([kind, names]) => names.split("|").map((name) => [name, kind as HeaderKind] as const)),
);

/** Finds the kind of a mail header by its name in any of the languages; null for other names. */
export function findHeaderKind(name: string): HeaderKind | null {
  return KINDS.get(name.normalize("NFC").toLowerCase().replaceAll("\u00a0", " ").trim()) ?? null;
}
