#include "synthetic/lexicon.h"

namespace heed::synthetic::lexicon {
namespace {

using namespace tag;
using korean::Change;

constexpr Noun noun_list[] = {
    // People.
    {"student", "students", "학생", "명", person},
    {"doctor", "doctors", "의사", "명", person},
    {"nurse", "nurses", "간호사", "명", person},
    {"chef", "chefs", "요리사", "명", person},
    {"singer", "singers", "가수", "명", person},
    {"painter", "painters", "화가", "명", person},
    {"farmer", "farmers", "농부", "명", person},
    {"writer", "writers", "작가", "명", person},
    {"reporter", "reporters", "기자", "명", person},
    {"actor", "actors", "배우", "명", person},
    {"soldier", "soldiers", "군인", "명", person},
    {"child", "children", "아이", "명", person | young},
    {"boy", "boys", "소년", "명", person | young},
    {"girl", "girls", "소녀", "명", person | young},
    {"friend", "friends", "친구", "명", person | relative},
    {"neighbour", "neighbours", "이웃", "명", person | relative},
    {"son", "sons", "아들", "명", person | relative},
    {"daughter", "daughters", "딸", "명", person | relative},
    // Animals.
    {"cat", "cats", "고양이", "마리", animal | small_animal},
    {"dog", "dogs", "개", "마리", animal | small_animal},
    {"rabbit", "rabbits", "토끼", "마리", animal | small_animal},
    {"duck", "ducks", "오리", "마리", animal | small_animal},
    {"monkey", "monkeys", "원숭이", "마리", animal | small_animal},
    {"pig", "pigs", "돼지", "마리", animal},
    {"horse", "horses", "말", "마리", animal},
    {"bear", "bears", "곰", "마리", animal},
    // Food and drink.
    {"apple", "apples", "사과", "개", food | fruit | sweet | washable | feed | small_thing},
    {"orange", "oranges", "오렌지", "개", food | fruit | sweet | washable | small_thing},
    {"tomato", "tomatoes", "토마토", "개", food | fruit | washable | cookable | feed},
    {"potato", "potatoes", "감자", "개", food | washable | cookable | feed},
    {"carrot", "carrots", "당근", "개", food | washable | cookable | feed},
    {"egg", "eggs", "계란", "개", food | cookable | washable | small_thing},
    {"cake", "cakes", "케이크", "개", food | sweet | makeable},
    {"bread", "", "빵", "", food | sweet | makeable | feed},
    {"rice", "", "밥", "", food | hot_food | feed},
    {"meat", "", "고기", "", food | cookable | feed},
    {"soup", "", "수프", "", food | hot_food | sweet | makeable},
    {"water", "", "물", "잔", drink | cold_drink | hot_drink | feed, "glass"},
    {"milk", "", "우유", "잔", drink | cold_drink | hot_drink | feed, "glass"},
    {"juice", "", "주스", "잔", drink | cold_drink | sweet, "glass"},
    {"coffee", "", "커피", "잔", drink | hot_drink | cold_drink | sweet, "cup"},
    {"tea", "", "차", "잔", drink | hot_drink, "cup"},
    // Media.
    {"book", "books", "책", "권", text | printed | written | small_thing},
    {"novel", "novels", "소설", "권", text | printed | written},
    {"magazine", "magazines", "잡지", "권", text | printed | small_thing},
    {"newspaper", "newspapers", "신문", "부", text | printed | small_thing},
    {"letter", "letters", "편지", "통", text | mail | written},
    {"poem", "poems", "시", "편", text | written},
    {"film", "films", "영화", "편", show},
    {"drama", "dramas", "드라마", "편", show},
    {"musical", "musicals", "뮤지컬", "편", show},
    {"song", "songs", "노래", "곡", audio | written},
    {"music", "", "음악", "", audio},
    {"story", "stories", "이야기", "편", audio | written | text},
    // Things.
    {"flower", "flowers", "꽃", "송이", plant | small_thing},
    {"rose", "roses", "장미", "송이", plant | small_thing},
    {"tree", "trees", "나무", "그루", tree},
    {"shirt", "shirts", "셔츠", "벌", clothes | makeable},
    {"coat", "coats", "코트", "벌", clothes | makeable},
    {"dress", "dresses", "드레스", "벌", clothes | makeable},
    {"skirt", "skirts", "치마", "벌", clothes | makeable},
    {"bag", "bags", "가방", "개", belonging | container | small_thing | makeable},
    {"box", "boxes", "상자", "개", container | opening | furniture | makeable | small_thing},
    {"umbrella", "umbrellas", "우산", "개", belonging | small_thing},
    {"key", "keys", "열쇠", "개", belonging | small_thing},
    {"wallet", "wallets", "지갑", "개", belonging | small_thing},
    {"ball", "balls", "공", "개", belonging | small_thing},
    {"cup", "cups", "컵", "개", small_thing | washable | makeable},
    {"pencil", "pencils", "연필", "자루", belonging | small_thing},
    {"gift", "gifts", "선물", "개", container | small_thing | makeable},
    {"picture", "pictures", "그림", "장", mail | drawn | small_thing},
    {"chair", "chairs", "의자", "개", furniture | makeable},
    {"table", "tables", "탁자", "개", furniture | makeable},
    {"clock", "clocks", "시계", "개", device},
    {"radio", "radios", "라디오", "대", device | audio},
    {"computer", "computers", "컴퓨터", "대", device},
    {"camera", "cameras", "카메라", "대", device | small_thing},
    {"car", "cars", "자동차", "대", device | vehicle},
    {"bicycle", "bicycles", "자전거", "대", device | vehicle},
    {"door", "doors", "문", "개", opening},
    {"window", "windows", "창문", "개", opening},
    {"house", "houses", "집", "채", building},
};

constexpr Tags things = clothes | belonging | container | furniture | device;

constexpr Adjective adjective_list[] = {
    {"big", {"크"}, things | animal | fruit | plant | tree | building},
    {"small", {"작"}, things | animal | fruit | plant | tree | building | opening},
    {"expensive", {"비싸"}, things | food | drink | plant},
    {"cheap", {"싸"}, things | food | drink | plant},
    {"heavy", {"무겁", Change::b}, belonging | container | furniture | animal},
    {"light", {"가볍", Change::b}, belonging | container | furniture},
    {"red", {"빨갛", Change::h}, fruit | clothes | belonging | vehicle | plant},
    {"blue", {"파랗", Change::h}, clothes | belonging | container | vehicle | opening},
    {"yellow", {"노랗", Change::h}, clothes | belonging | container | vehicle | plant},
    {"white", {"하얗", Change::h}, clothes | furniture | building | animal | opening},
    {"black", {"까맣", Change::h}, clothes | belonging | animal | vehicle},
    {"beautiful", {"아름답", Change::b}, plant | tree | clothes | building | audio | written},
    {"pretty", {"예쁘"}, plant | clothes | belonging | container},
    {"cute", {"귀엽", Change::b}, animal},
    {"interesting", {"재미있"}, text | show | written},
    {"boring", {"지루하"}, text | show},
    {"difficult", {"어렵", Change::b}, text | written},
    {"easy", {"쉽", Change::b}, text | written},
    {"long", {"길"}, text | show | clothes | written},
    {"short", {"짧"}, text | show | clothes | written},
    {"hot", {"뜨겁", Change::b}, hot_food | hot_drink},
    {"cold", {"차갑", Change::b}, cold_drink},
    {"sweet", {"달"}, sweet},
    {"delicious", {"맛있"}, food | drink},
    {"fresh", {"신선하"}, fruit | cookable | cold_drink},
    {"warm", {"따뜻하"}, clothes | hot_food | hot_drink},
    {"clean", {"깨끗하"}, clothes | furniture | building | opening},
    {"dirty", {"더럽", Change::b}, clothes | furniture | opening | vehicle},
    {"fast", {"빠르", Change::reu}, animal | vehicle},
    {"slow", {"느리"}, animal | vehicle},
    {"good", {"좋"}, things | text | show | audio},
    {"kind", {"친절하"}, person},
    {"busy", {"바쁘"}, person},
    {"tired", {"피곤하"}, person},
    {"happy", {"행복하"}, person},
    {"clever", {"똑똑하"}, person | small_animal},
    {"famous", {"유명하"}, person | printed | show},
    {"brave", {"용감하"}, person},
};

constexpr Place place_list[] = {
    {"in", "library", "도서관", site::quiet | site::meeting | site::work},
    {"in", "park", "공원", site::outdoors | site::meeting | site::quiet | site::dining},
    {"in", "garden", "정원", site::outdoors | site::quiet | site::dining | site::home},
    {"at", "market", "시장", site::trade | site::meeting | site::work},
    {"at", "hospital", "병원", site::meeting | site::work},
    {"at", "bank", "은행", site::meeting | site::work},
    {"at", "museum", "박물관", site::meeting | site::work},
    {"at", "station", "역", site::trade | site::meeting},
    {"at", "school", "학교", site::meeting | site::work | site::dining | site::quiet | site::screen},
    {"at", "restaurant", "식당", site::dining | site::meeting | site::work},
    {"at", "shop", "가게", site::trade | site::meeting | site::work},
    {"at", "beach", "해변", site::outdoors | site::meeting | site::dining},
    {"at", "office", "사무실", site::meeting | site::work | site::quiet},
    {"in", "room", "방", site::home | site::quiet | site::screen},
    {"at", "theatre", "극장", site::screen | site::meeting | site::work},
    {"in", "kitchen", "부엌", site::home | site::dining},
    {"in", "village", "마을", site::outdoors | site::meeting | site::work},
    {"in", "forest", "숲", site::outdoors},
};

constexpr Tags goods = food | printed | clothes | belonging | container | furniture | device | plant;

constexpr Verb verb_list[] = {
    {"eat", "eats", "ate", "eating", {"먹"}, food, site::dining, Tools::cutlery, Doers::people_and_animals},
    {"drink", "drinks", "drank", "drinking", {"마시"}, drink, site::dining, Tools::none, Doers::people_and_animals},
    {"buy", "buys", "bought", "buying", {"사"}, goods, site::trade},
    {"sell", "sells", "sold", "selling", {"팔"}, goods, site::trade},
    {"cook", "cooks", "cooked", "cooking", {"요리하"}, cookable, site::dining},
    {"wash", "washes", "washed", "washing", {"씻"}, washable, site::home},
    {"read", "reads", "read", "reading", {"읽"}, text, site::quiet},
    {"write", "writes", "wrote", "writing", {"쓰"}, written, site::quiet, Tools::stationery},
    {"borrow", "borrows", "borrowed", "borrowing", {"빌리"}, printed | belonging},
    {"watch", "watches", "watched", "watching", {"보"}, show, site::screen},
    {"listen", "listens", "listened", "listening", {"듣", Change::d}, audio, site::quiet, {}, {}, "to"},
    {"make", "makes", "made", "making", {"만들"}, makeable, site::home},
    {"fix", "fixes", "fixed", "fixing", {"고치"}, device | furniture, site::home},
    {"open", "opens", "opened", "opening", {"열"}, opening},
    {"close", "closes", "closed", "closing", {"닫"}, opening},
    {"draw",
     "draws",
     "drew",
     "drawing",
     {"그리"},
     animal | plant | tree | fruit | building | drawn,
     site::quiet | site::outdoors,
     Tools::stationery},
    {"choose", "chooses", "chose", "choosing", {"고르", Change::reu}, printed | clothes | container, site::trade},
    {"carry", "carries", "carried", "carrying", {"나르", Change::reu}, furniture | container},
    {"look", "looks", "looked", "looking", {"찾"}, belonging | clothes | printed, site::meeting, {}, {}, "for"},
    {"touch", "touches", "touched", "touching", {"만지"}, animal | device | clothes},
    {"wear", "wears", "wore", "wearing", {"입"}, clothes},
    {"use", "uses", "used", "using", {"사용하"}, device | belonging, site::quiet},
    {"meet", "meets", "met", "meeting", {"만나"}, person, site::meeting},
    {"help", "helps", "helped", "helping", {"돕", Change::b}, person, site::work},
    {"wait", "waits", "waited", "waiting", {"기다리"}, person, site::meeting, {}, {}, "for"},
    {"raise", "raises", "raised", "raising", {"키우"}, animal},
    {"sleep", "sleeps", "slept", "sleeping", {"자"}, 0, site::home, {}, Doers::people_and_animals},
    {"rest", "rests", "rested", "resting", {"쉬"}, 0, site::home | site::outdoors, {}, Doers::people_and_animals},
    {"run", "runs", "ran", "running", {"달리"}, 0, site::outdoors, {}, Doers::people_and_animals},
    {"walk", "walks", "walked", "walking", {"걷", Change::d}, 0, site::outdoors, {}, Doers::people_and_animals},
    {"play", "plays", "played", "playing", {"놀"}, 0, site::outdoors | site::home, {}, Doers::people_and_animals},
    {"dance", "dances", "danced", "dancing", {"춤추"}, 0, site::outdoors | site::dining},
    {"sing", "sings", "sang", "singing", {"노래하"}, 0, site::outdoors | site::home},
    {"cry", "cries", "cried", "crying", {"울"}, 0, site::home | site::meeting, {}, {}, {}, false},
    {"laugh", "laughs", "laughed", "laughing", {"웃"}, 0, site::home | site::meeting, {}, {}, {}, false},
    {"work", "works", "worked", "working", {"일하"}, 0, site::work},
    {"study", "studies", "studied", "studying", {"공부하"}, 0, site::quiet},
};

constexpr Verb feeling_list[] = {
    {"like", "likes", "liked", "liking", {"좋아하"}, food | drink | animal | text | show | audio | plant | person},
    {"hate", "hates", "hated", "hating", {"싫어하"}, food | drink | animal | show | text},
};

constexpr Tags portable = belonging | container | plant | printed | mail;

constexpr Verb transfer_list[] = {
    {"give", "gives", "gave", "giving", {"주"}, portable | fruit | clothes},
    {"send", "sends", "sent", "sending", {"보내"}, portable | clothes},
    {"show", "shows", "showed", "showing", {"보여 주"}, portable | animal | device},
};

constexpr Verb movement_list[] = {
    {"go", "goes", "went", "going", {"가"}},
    {"come", "comes", "came", "coming", {"오"}},
};

constexpr Tool cutlery[] = {{"with a spoon", "숟가락"}, {"with a fork", "포크"}, {"with chopsticks", "젓가락"}};
constexpr Tool stationery[] = {{"with a pen", "펜"}, {"with a pencil", "연필"}, {"with a brush", "붓"}};
constexpr Tool ride_list[] = {{"by bus", "버스"},  {"by train", "기차"}, {"by subway", "지하철"},
                              {"by taxi", "택시"}, {"by car", "자동차"}, {"by bicycle", "자전거"}};

constexpr Name name_list[] = {{"Minsu", "민수"}, {"Yuna", "유나"},    {"Jimin", "지민"},  {"Hajun", "하준"},
                              {"Sora", "소라"},  {"Seoyeon", "서연"}, {"Dohyun", "도현"}, {"Jiho", "지호"}};

constexpr Name number_list[] = {{"one", "한"},    {"two", "두"},   {"three", "세"},   {"four", "네"},
                                {"five", "다섯"}, {"six", "여섯"}, {"seven", "일곱"}, {"eight", "여덟"},
                                {"nine", "아홉"}, {"ten", "열"}};

constexpr Spot spot_list[] = {{"on", "위", true},
                              {"under", "아래", true},
                              {"next to", "옆", false},
                              {"in front of", "앞", false},
                              {"behind", "뒤", false}};

constexpr Noun landmark_list[] = {
    {"table", "tables", "탁자", "개", furniture},
    {"chair", "chairs", "의자", "개", furniture},
    {"bed", "beds", "침대", "개", furniture},
    {"desk", "desks", "책상", "개", furniture},
    {"door", "doors", "문", "개", 0},
    {"house", "houses", "집", "채", 0},
    {"tree", "trees", "나무", "그루", 0},
    {"car", "cars", "자동차", "대", 0},
};

}  // namespace

std::span<const Noun> nouns() { return noun_list; }
std::span<const Adjective> adjectives() { return adjective_list; }
std::span<const Verb> verbs() { return verb_list; }
std::span<const Verb> feelings() { return feeling_list; }
std::span<const Verb> transfers() { return transfer_list; }
std::span<const Verb> movements() { return movement_list; }
std::span<const Place> places() { return place_list; }
std::span<const Tool> tools(Tools kind) {
  switch (kind) {
    case Tools::cutlery: return cutlery;
    case Tools::stationery: return stationery;
    case Tools::none: break;
  }
  return {};
}
std::span<const Tool> rides() { return ride_list; }
std::span<const Name> names() { return name_list; }
std::span<const Name> numbers() { return number_list; }
std::span<const Spot> spots() { return spot_list; }
std::span<const Noun> landmarks() { return landmark_list; }

std::vector<std::pair<std::string, std::string>> dictionary() {
  std::vector<std::pair<std::string, std::string>> words;
  const auto add = [&](std::string_view english, std::string_view korean) { words.emplace_back(english, korean); };
  for (const Noun& noun : nouns()) add(noun.english, noun.korean);
  for (const Noun& noun : landmarks()) add(noun.english, noun.korean);
  for (const Place& place : places()) add(place.english, place.korean);
  for (const std::span<const Verb> group : {verbs(), feelings(), transfers(), movements()}) {
    for (const Verb& verb : group) add(verb.base, korean::plain(verb.stem));
  }
  for (const Adjective& adjective : adjectives()) add(adjective.english, korean::plain(adjective.stem));
  for (const std::span<const Name> group : {names(), numbers()}) {
    for (const Name& name : group) add(name.english, name.korean);
  }
  return words;
}

}  // namespace heed::synthetic::lexicon
