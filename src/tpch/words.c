/* words.c - the lists themselves, in the order of the specification; W(text, weight). */
#include "tpch/words.h"

#define W(text, weight)                                                                            \
    {                                                                                              \
        text, sizeof(text) - 1, weight                                                             \
    }

static const tpch_word containers[] = {
    W("SM CASE", 1),    W("SM BOX", 1),    W("SM BAG", 1),    W("SM JAR", 1),
    W("SM PACK", 1),    W("SM PKG", 1),    W("SM CAN", 1),    W("SM DRUM", 1),
    W("LG CASE", 1),    W("LG BOX", 1),    W("LG BAG", 1),    W("LG JAR", 1),
    W("LG PACK", 1),    W("LG PKG", 1),    W("LG CAN", 1),    W("LG DRUM", 1),
    W("MED CASE", 1),   W("MED BOX", 1),   W("MED BAG", 1),   W("MED JAR", 1),
    W("MED PACK", 1),   W("MED PKG", 1),   W("MED CAN", 1),   W("MED DRUM", 1),
    W("JUMBO CASE", 1), W("JUMBO BOX", 1), W("JUMBO BAG", 1), W("JUMBO JAR", 1),
    W("JUMBO PACK", 1), W("JUMBO PKG", 1), W("JUMBO CAN", 1), W("JUMBO DRUM", 1),
    W("WRAP CASE", 1),  W("WRAP BOX", 1),  W("WRAP BAG", 1),  W("WRAP JAR", 1),
    W("WRAP PACK", 1),  W("WRAP PKG", 1),  W("WRAP CAN", 1),  W("WRAP DRUM", 1)};
const tpch_words tpch_containers = {containers, 40, 40};

static const tpch_word types[] = {
    W("STANDARD ANODIZED TIN", 1),     W("STANDARD ANODIZED NICKEL", 1),
    W("STANDARD ANODIZED BRASS", 1),   W("STANDARD ANODIZED STEEL", 1),
    W("STANDARD ANODIZED COPPER", 1),  W("STANDARD BURNISHED TIN", 1),
    W("STANDARD BURNISHED NICKEL", 1), W("STANDARD BURNISHED BRASS", 1),
    W("STANDARD BURNISHED STEEL", 1),  W("STANDARD BURNISHED COPPER", 1),
    W("STANDARD PLATED TIN", 1),       W("STANDARD PLATED NICKEL", 1),
    W("STANDARD PLATED BRASS", 1),     W("STANDARD PLATED STEEL", 1),
    W("STANDARD PLATED COPPER", 1),    W("STANDARD POLISHED TIN", 1),
    W("STANDARD POLISHED NICKEL", 1),  W("STANDARD POLISHED BRASS", 1),
    W("STANDARD POLISHED STEEL", 1),   W("STANDARD POLISHED COPPER", 1),
    W("STANDARD BRUSHED TIN", 1),      W("STANDARD BRUSHED NICKEL", 1),
    W("STANDARD BRUSHED BRASS", 1),    W("STANDARD BRUSHED STEEL", 1),
    W("STANDARD BRUSHED COPPER", 1),   W("SMALL ANODIZED TIN", 1),
    W("SMALL ANODIZED NICKEL", 1),     W("SMALL ANODIZED BRASS", 1),
    W("SMALL ANODIZED STEEL", 1),      W("SMALL ANODIZED COPPER", 1),
    W("SMALL BURNISHED TIN", 1),       W("SMALL BURNISHED NICKEL", 1),
    W("SMALL BURNISHED BRASS", 1),     W("SMALL BURNISHED STEEL", 1),
    W("SMALL BURNISHED COPPER", 1),    W("SMALL PLATED TIN", 1),
    W("SMALL PLATED NICKEL", 1),       W("SMALL PLATED BRASS", 1),
    W("SMALL PLATED STEEL", 1),        W("SMALL PLATED COPPER", 1),
    W("SMALL POLISHED TIN", 1),        W("SMALL POLISHED NICKEL", 1),
    W("SMALL POLISHED BRASS", 1),      W("SMALL POLISHED STEEL", 1),
    W("SMALL POLISHED COPPER", 1),     W("SMALL BRUSHED TIN", 1),
    W("SMALL BRUSHED NICKEL", 1),      W("SMALL BRUSHED BRASS", 1),
    W("SMALL BRUSHED STEEL", 1),       W("SMALL BRUSHED COPPER", 1),
    W("MEDIUM ANODIZED TIN", 1),       W("MEDIUM ANODIZED NICKEL", 1),
    W("MEDIUM ANODIZED BRASS", 1),     W("MEDIUM ANODIZED STEEL", 1),
    W("MEDIUM ANODIZED COPPER", 1),    W("MEDIUM BURNISHED TIN", 1),
    W("MEDIUM BURNISHED NICKEL", 1),   W("MEDIUM BURNISHED BRASS", 1),
    W("MEDIUM BURNISHED STEEL", 1),    W("MEDIUM BURNISHED COPPER", 1),
    W("MEDIUM PLATED TIN", 1),         W("MEDIUM PLATED NICKEL", 1),
    W("MEDIUM PLATED BRASS", 1),       W("MEDIUM PLATED STEEL", 1),
    W("MEDIUM PLATED COPPER", 1),      W("MEDIUM POLISHED TIN", 1),
    W("MEDIUM POLISHED NICKEL", 1),    W("MEDIUM POLISHED BRASS", 1),
    W("MEDIUM POLISHED STEEL", 1),     W("MEDIUM POLISHED COPPER", 1),
    W("MEDIUM BRUSHED TIN", 1),        W("MEDIUM BRUSHED NICKEL", 1),
    W("MEDIUM BRUSHED BRASS", 1),      W("MEDIUM BRUSHED STEEL", 1),
    W("MEDIUM BRUSHED COPPER", 1),     W("LARGE ANODIZED TIN", 1),
    W("LARGE ANODIZED NICKEL", 1),     W("LARGE ANODIZED BRASS", 1),
    W("LARGE ANODIZED STEEL", 1),      W("LARGE ANODIZED COPPER", 1),
    W("LARGE BURNISHED TIN", 1),       W("LARGE BURNISHED NICKEL", 1),
    W("LARGE BURNISHED BRASS", 1),     W("LARGE BURNISHED STEEL", 1),
    W("LARGE BURNISHED COPPER", 1),    W("LARGE PLATED TIN", 1),
    W("LARGE PLATED NICKEL", 1),       W("LARGE PLATED BRASS", 1),
    W("LARGE PLATED STEEL", 1),        W("LARGE PLATED COPPER", 1),
    W("LARGE POLISHED TIN", 1),        W("LARGE POLISHED NICKEL", 1),
    W("LARGE POLISHED BRASS", 1),      W("LARGE POLISHED STEEL", 1),
    W("LARGE POLISHED COPPER", 1),     W("LARGE BRUSHED TIN", 1),
    W("LARGE BRUSHED NICKEL", 1),      W("LARGE BRUSHED BRASS", 1),
    W("LARGE BRUSHED STEEL", 1),       W("LARGE BRUSHED COPPER", 1),
    W("ECONOMY ANODIZED TIN", 1),      W("ECONOMY ANODIZED NICKEL", 1),
    W("ECONOMY ANODIZED BRASS", 1),    W("ECONOMY ANODIZED STEEL", 1),
    W("ECONOMY ANODIZED COPPER", 1),   W("ECONOMY BURNISHED TIN", 1),
    W("ECONOMY BURNISHED NICKEL", 1),  W("ECONOMY BURNISHED BRASS", 1),
    W("ECONOMY BURNISHED STEEL", 1),   W("ECONOMY BURNISHED COPPER", 1),
    W("ECONOMY PLATED TIN", 1),        W("ECONOMY PLATED NICKEL", 1),
    W("ECONOMY PLATED BRASS", 1),      W("ECONOMY PLATED STEEL", 1),
    W("ECONOMY PLATED COPPER", 1),     W("ECONOMY POLISHED TIN", 1),
    W("ECONOMY POLISHED NICKEL", 1),   W("ECONOMY POLISHED BRASS", 1),
    W("ECONOMY POLISHED STEEL", 1),    W("ECONOMY POLISHED COPPER", 1),
    W("ECONOMY BRUSHED TIN", 1),       W("ECONOMY BRUSHED NICKEL", 1),
    W("ECONOMY BRUSHED BRASS", 1),     W("ECONOMY BRUSHED STEEL", 1),
    W("ECONOMY BRUSHED COPPER", 1),    W("PROMO ANODIZED TIN", 1),
    W("PROMO ANODIZED NICKEL", 1),     W("PROMO ANODIZED BRASS", 1),
    W("PROMO ANODIZED STEEL", 1),      W("PROMO ANODIZED COPPER", 1),
    W("PROMO BURNISHED TIN", 1),       W("PROMO BURNISHED NICKEL", 1),
    W("PROMO BURNISHED BRASS", 1),     W("PROMO BURNISHED STEEL", 1),
    W("PROMO BURNISHED COPPER", 1),    W("PROMO PLATED TIN", 1),
    W("PROMO PLATED NICKEL", 1),       W("PROMO PLATED BRASS", 1),
    W("PROMO PLATED STEEL", 1),        W("PROMO PLATED COPPER", 1),
    W("PROMO POLISHED TIN", 1),        W("PROMO POLISHED NICKEL", 1),
    W("PROMO POLISHED BRASS", 1),      W("PROMO POLISHED STEEL", 1),
    W("PROMO POLISHED COPPER", 1),     W("PROMO BRUSHED TIN", 1),
    W("PROMO BRUSHED NICKEL", 1),      W("PROMO BRUSHED BRASS", 1),
    W("PROMO BRUSHED STEEL", 1),       W("PROMO BRUSHED COPPER", 1)};
const tpch_words tpch_types = {types, 150, 150};

static const tpch_word colors[] = {
    W("almond", 1),    W("antique", 1),   W("aquamarine", 1), W("azure", 1),      W("beige", 1),
    W("bisque", 1),    W("black", 1),     W("blanched", 1),   W("blue", 1),       W("blush", 1),
    W("brown", 1),     W("burlywood", 1), W("burnished", 1),  W("chartreuse", 1), W("chiffon", 1),
    W("chocolate", 1), W("coral", 1),     W("cornflower", 1), W("cornsilk", 1),   W("cream", 1),
    W("cyan", 1),      W("dark", 1),      W("deep", 1),       W("dim", 1),        W("dodger", 1),
    W("drab", 1),      W("firebrick", 1), W("floral", 1),     W("forest", 1),     W("frosted", 1),
    W("gainsboro", 1), W("ghost", 1),     W("goldenrod", 1),  W("green", 1),      W("grey", 1),
    W("honeydew", 1),  W("hot", 1),       W("indian", 1),     W("ivory", 1),      W("khaki", 1),
    W("lace", 1),      W("lavender", 1),  W("lawn", 1),       W("lemon", 1),      W("light", 1),
    W("lime", 1),      W("linen", 1),     W("magenta", 1),    W("maroon", 1),     W("medium", 1),
    W("metallic", 1),  W("midnight", 1),  W("mint", 1),       W("misty", 1),      W("moccasin", 1),
    W("navajo", 1),    W("navy", 1),      W("olive", 1),      W("orange", 1),     W("orchid", 1),
    W("pale", 1),      W("papaya", 1),    W("peach", 1),      W("peru", 1),       W("pink", 1),
    W("plum", 1),      W("powder", 1),    W("puff", 1),       W("purple", 1),     W("red", 1),
    W("rose", 1),      W("rosy", 1),      W("royal", 1),      W("saddle", 1),     W("salmon", 1),
    W("sandy", 1),     W("seashell", 1),  W("sienna", 1),     W("sky", 1),        W("slate", 1),
    W("smoke", 1),     W("snow", 1),      W("spring", 1),     W("steel", 1),      W("tan", 1),
    W("thistle", 1),   W("tomato", 1),    W("turquoise", 1),  W("violet", 1),     W("wheat", 1),
    W("white", 1),     W("yellow", 1)};
const tpch_words tpch_colors = {colors, 92, 92};

static const tpch_word segments[] = {W("AUTOMOBILE", 1), W("BUILDING", 1), W("FURNITURE", 1),
                                     W("HOUSEHOLD", 1), W("MACHINERY", 1)};
const tpch_words tpch_segments = {segments, 5, 5};

static const tpch_word priorities[] = {W("1-URGENT", 1), W("2-HIGH", 1), W("3-MEDIUM", 1),
                                       W("4-NOT SPECIFIED", 1), W("5-LOW", 1)};
const tpch_words tpch_priorities = {priorities, 5, 5};

static const tpch_word instructions[] = {W("DELIVER IN PERSON", 1), W("COLLECT COD", 1),
                                         W("TAKE BACK RETURN", 1), W("NONE", 1)};
const tpch_words tpch_instructions = {instructions, 4, 4};

static const tpch_word modes[] = {W("REG AIR", 1), W("AIR", 1), W("RAIL", 1), W("TRUCK", 1),
                                  W("MAIL", 1),    W("FOB", 1), W("SHIP", 1)};
const tpch_words tpch_modes = {modes, 7, 7};

static const tpch_word return_flags[] = {W("R", 1), W("A", 1)};
const tpch_words tpch_return_flags = {return_flags, 2, 2};

static const tpch_word regions[] = {W("AFRICA", 1), W("AMERICA", 1), W("ASIA", 1), W("EUROPE", 1),
                                    W("MIDDLE EAST", 1)};
const tpch_words tpch_regions = {regions, 5, 5};

static const tpch_word nations[] = {
    W("ALGERIA", 1),      W("ARGENTINA", 1), W("BRAZIL", 1), W("CANADA", 1),
    W("EGYPT", 1),        W("ETHIOPIA", 1),  W("FRANCE", 1), W("GERMANY", 1),
    W("INDIA", 1),        W("INDONESIA", 1), W("IRAN", 1),   W("IRAQ", 1),
    W("JAPAN", 1),        W("JORDAN", 1),    W("KENYA", 1),  W("MOROCCO", 1),
    W("MOZAMBIQUE", 1),   W("PERU", 1),      W("CHINA", 1),  W("ROMANIA", 1),
    W("SAUDI ARABIA", 1), W("VIETNAM", 1),   W("RUSSIA", 1), W("UNITED KINGDOM", 1),
    W("UNITED STATES", 1)};
const tpch_words tpch_nations = {nations, 25, 25};

const uint8_t tpch_nation_regions[25] = {0, 1, 1, 1, 4, 0, 3, 3, 2, 2, 4, 4, 2,
                                         4, 0, 0, 0, 1, 2, 3, 4, 2, 3, 3, 1};

static const tpch_word nouns[] = {
    W("packages", 40),     W("requests", 40),     W("accounts", 40),    W("deposits", 40),
    W("foxes", 20),        W("ideas", 20),        W("theodolites", 20), W("pinto beans", 20),
    W("instructions", 20), W("dependencies", 10), W("excuses", 10),     W("platelets", 10),
    W("asymptotes", 10),   W("courts", 5),        W("dolphins", 5),     W("multipliers", 1),
    W("sauternes", 1),     W("warthogs", 1),      W("frets", 1),        W("dinos", 1),
    W("attainments", 1),   W("somas", 1),         W("Tiresias", 1),     W("patterns", 1),
    W("forges", 1),        W("braids", 1),        W("frays", 1),        W("warhorses", 1),
    W("dugouts", 1),       W("notornis", 1),      W("epitaphs", 1),     W("pearls", 1),
    W("tithes", 1),        W("waters", 1),        W("orbits", 1),       W("gifts", 1),
    W("sheaves", 1),       W("depths", 1),        W("sentiments", 1),   W("decoys", 1),
    W("realms", 1),        W("pains", 1),         W("grouches", 1),     W("escapades", 1),
    W("hockey players", 1)};
const tpch_words tpch_nouns = {nouns, 45, 340};

static const tpch_word verbs[] = {
    W("sleep", 20),    W("wake", 20),    W("are", 20),   W("cajole", 20), W("haggle", 20),
    W("nag", 10),      W("use", 10),     W("boost", 10), W("affix", 5),   W("detect", 5),
    W("integrate", 5), W("maintain", 1), W("nod", 1),    W("was", 1),     W("lose", 1),
    W("sublate", 1),   W("solve", 1),    W("thrash", 1), W("promise", 1), W("engage", 1),
    W("hinder", 1),    W("print", 1),    W("x-ray", 1),  W("breach", 1),  W("eat", 1),
    W("grow", 1),      W("impress", 1),  W("mold", 1),   W("poach", 1),   W("serve", 1),
    W("run", 1),       W("dazzle", 1),   W("snooze", 1), W("doze", 1),    W("unwind", 1),
    W("kindle", 1),    W("play", 1),     W("hang", 1),   W("believe", 1), W("doubt", 1)};
const tpch_words tpch_verbs = {verbs, 40, 174};

static const tpch_word adverbs[] = {
    W("sometimes", 1),  W("always", 1),     W("never", 1),       W("furiously", 50),
    W("slyly", 50),     W("carefully", 50), W("blithely", 40),   W("quickly", 30),
    W("fluffily", 20),  W("slowly", 1),     W("quietly", 1),     W("ruthlessly", 1),
    W("thinly", 1),     W("closely", 1),    W("doggedly", 1),    W("daringly", 1),
    W("bravely", 1),    W("stealthily", 1), W("permanently", 1), W("enticingly", 1),
    W("idly", 1),       W("busily", 1),     W("regularly", 1),   W("finally", 1),
    W("ironically", 1), W("evenly", 1),     W("boldly", 1),      W("silently", 1)};
const tpch_words tpch_adverbs = {adverbs, 28, 262};

static const tpch_word prepositions[] = {W("about", 50),
                                         W("above", 50),
                                         W("according to", 50),
                                         W("across", 50),
                                         W("after", 50),
                                         W("against", 40),
                                         W("along", 40),
                                         W("alongside of", 30),
                                         W("among", 30),
                                         W("around", 20),
                                         W("at", 10),
                                         W("atop", 1),
                                         W("before", 1),
                                         W("behind", 1),
                                         W("beneath", 1),
                                         W("beside", 1),
                                         W("besides", 1),
                                         W("between", 1),
                                         W("beyond", 1),
                                         W("by", 1),
                                         W("despite", 1),
                                         W("during", 1),
                                         W("except", 1),
                                         W("for", 1),
                                         W("from", 1),
                                         W("in place of", 1),
                                         W("inside", 1),
                                         W("instead of", 1),
                                         W("into", 1),
                                         W("near", 1),
                                         W("of", 1),
                                         W("on", 1),
                                         W("outside", 1),
                                         W("over", 1),
                                         W("past", 1),
                                         W("since", 1),
                                         W("through", 1),
                                         W("throughout", 1),
                                         W("to", 1),
                                         W("toward", 1),
                                         W("under", 1),
                                         W("until", 1),
                                         W("up", 1),
                                         W("upon", 1),
                                         W("whithout", 1),
                                         W("with", 1),
                                         W("within", 1)};
const tpch_words tpch_prepositions = {prepositions, 47, 456};

static const tpch_word auxiliaries[] = {W("do", 1),
                                        W("may", 1),
                                        W("might", 1),
                                        W("shall", 1),
                                        W("will", 1),
                                        W("would", 1),
                                        W("can", 1),
                                        W("could", 1),
                                        W("should", 1),
                                        W("ought to", 1),
                                        W("must", 1),
                                        W("will have to", 1),
                                        W("shall have to", 1),
                                        W("could have to", 1),
                                        W("should have to", 1),
                                        W("must have to", 1),
                                        W("need to", 1),
                                        W("try to", 1)};
const tpch_words tpch_auxiliaries = {auxiliaries, 18, 18};

static const tpch_word terminators[] = {W(".", 50), W(";", 1), W(":", 1),
                                        W("?", 1),  W("!", 1), W("--", 1)};
const tpch_words tpch_terminators = {terminators, 6, 55};

static const tpch_word adjectives[] = {
    W("special", 20), W("pending", 20), W("unusual", 20), W("express", 20), W("furious", 1),
    W("sly", 1),      W("careful", 1),  W("blithe", 1),   W("quick", 1),    W("fluffy", 1),
    W("slow", 1),     W("quiet", 1),    W("ruthless", 1), W("thin", 1),     W("close", 1),
    W("dogged", 1),   W("daring", 1),   W("brave", 1),    W("stealthy", 1), W("permanent", 1),
    W("enticing", 1), W("idle", 1),     W("busy", 1),     W("regular", 50), W("final", 40),
    W("ironic", 40),  W("even", 30),    W("bold", 20),    W("silent", 10)};
const tpch_words tpch_adjectives = {adjectives, 29, 289};

/* N: noun phrase, V: verb phrase, P: preposition and noun phrase, T: terminator. */
static const tpch_word sentences[] = {W("NVT", 3), W("NVPT", 3), W("NVNT", 3), W("NPVNT", 1),
                                      W("NPVPT", 1)};
const tpch_words tpch_sentences = {sentences, 5, 11};

/* A: article, J: adjective, D: adverb, N: noun, V: verb, X: auxiliary. */
static const tpch_word noun_phrases[] = {W("N", 10), W("JN", 20), W("J,JN", 10), W("DJN", 50)};
const tpch_words tpch_noun_phrases = {noun_phrases, 4, 90};

static const tpch_word verb_phrases[] = {W("V", 30), W("XV", 1), W("VD", 40), W("XVD", 1)};
const tpch_words tpch_verb_phrases = {verb_phrases, 4, 72};
