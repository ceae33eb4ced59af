/**
 * Synonyms in requests and names of tools, and words that a request implies. General English, in small groups; a
 * related word counts less than the word itself.
 */
import { stem } from "./words.ts";

/** Each line is one group: every word of it is related to the others. */
const GROUPS = `
find search lookup query discover browse
get fetch retrieve obtain read load show display view
list enumerate all
create make add new generate build compose draft
write save store put record
delete remove erase clear cancel drop
update edit modify change set alter revise patch
send post deliver notify email mail message sms
convert transform translate turn
compare difference diff versus
calculate compute calculator evaluate math arithmetic
check verify validate confirm test
recommend suggest recommendation suggestion advice
summarize summary summarise digest
analyze analysis analyse analytics examine
plot chart graph visualize diagram draw
book reserve booking reservation
buy purchase shopping order shop
play player playback
begin start launch run execute
stop end finish terminate
open navigate visit
download save
movie film cinema
series show tv episode
song track music lyric audio
picture image photo photograph
video clip youtube
news headline article story
paper research publication study academic scholar arxiv
weather forecast temperature climate meteo
stock share equity ticker nasdaq
price cost quote rate worth value
money currency cash forex exchange
crypto cryptocurrency bitcoin btc ethereum token coin
finance financial market economy
company business firm corporation
job career employment vacancy position
employee staff worker personnel
doctor physician medical clinic
medicine drug medication pharmaceutical
illness disease symptom condition
food meal dish recipe cook cuisine
restaurant dining eatery
hotel accommodation lodging stay homestay airbnb
flight airline airport plane aviation
train rail railway station
trip travel tour itinerary journey vacation
route direction navigation path way
place location address geocode coordinate
nearby near around close
map geography
city town municipality
country nation
car vehicle automobile auto
house home property estate apartment
people person user member
friend contact
team club squad
game match fixture
football soccer
score result standing
league tournament championship competition
event concert conference
date day calendar
time clock hour
holiday festival
tweet twitter
website site webpage page url
link url
internet web online
domain whois dns
ip address geolocation
code source program software
repository repo git github
bug issue ticket
document doc word docx
spreadsheet excel xlsx sheet workbook
presentation slide ppt pptx powerpoint
directory folder
file document text
joke humor funny
random lottery draw pick
quiz trivia question
language translation
dictionary definition meaning synonym
tax vat
shipment shipping parcel package tracking delivery
phone number telephone mobile
password login credential
customer client
product item good merchandise
review rating feedback opinion
comment reply discussion
trend trending popular hot top
latest recent newest current live
historical history past
statistic stat metric data
picture screenshot capture
schedule timetable agenda
`;

/** Related terms by term. */
export const RELATED: ReadonlyMap<string, readonly string[]> = relate(GROUPS);

function relate(groups: string): Map<string, string[]> {
  const related = new Map<string, string[]>();
  for (const line of groups.trim().split("\n")) {
    const terms = line.split(" ").map(stem);
    for (const term of terms) {
      const others = terms.filter((other) => other !== term);
      related.set(term, [...new Set([...(related.get(term) ?? []), ...others])]);
    }
  }
  return related;
}
