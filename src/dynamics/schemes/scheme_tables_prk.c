/* SPDX-License-Identifier: MIT */
/* Splitting schemes for any two flows A and B (partitioned Runge-Kutta methods). scheme.c says how names are made;
 * digits are checked, and continued beyond the published ones, by tools/derive-schemes. */

#include "dynamics/schemes/scheme_tables.h"

static const char swope[] = "L. Verlet, Phys. Rev. 159 (1967) 98; W. C. Swope, H. C. Andersen, P. H. Berens, K. R. "
                            "Wilson, J. Chem. Phys. 76 (1982) 637";
static const char tuckerman[] = "M. Tuckerman, B. J. Berne, G. J. Martyna, J. Chem. Phys. 97 (1992) 1990";
static const char mclachlan[] = "R. I. McLachlan, SIAM J. Sci. Comput. 16 (1995) 151";
static const char blanes_casas_sanz_serna[] =
    "S. Blanes, F. Casas, J. M. Sanz-Serna, SIAM J. Sci. Comput. 36 (2014) A1556";
static const char laskar_robutel[] = "J. Laskar, P. Robutel, Celest. Mech. Dyn. Astron. 80 (2001) 39";
static const char yoshida[] = "H. Yoshida, Phys. Lett. A 150 (1990) 262";
static const char forest_ruth[] =
    "E. Forest, R. D. Ruth, Physica D 43 (1990) 105; H. Yoshida, Phys. Lett. A 150 (1990) 262";
static const char suzuki[] = "M. Suzuki, Phys. Lett. A 146 (1990) 319";
static const char omelyan_146[] = "I. P. Omelyan, I. M. Mryglod, R. Folk, Comput. Phys. Commun. 146 (2002) 188";
static const char omelyan_151[] = "I. P. Omelyan, I. M. Mryglod, R. Folk, Comput. Phys. Commun. 151 (2003) 272";
static const char blanes_moan[] = "S. Blanes, P. C. Moan, J. Comput. Appl. Math. 142 (2002) 313";
static const char blanes_2013[] =
    "S. Blanes, F. Casas, A. Farres, J. Laskar, J. Makazaga, A. Murua, Appl. Numer. Math. 68 (2013) 58";
static const char kahan_li[] = "W. Kahan, R.-C. Li, Math. Comp. 66 (1997) 1089";
static const char simplectic[] =
    "A. Escorihuela-Tomas, program simplectic, github.com/alejandro-escorihuela/simplectic";
static const char suzuki_umeno[] = "M. Suzuki, K. Umeno, in Computer Simulation Studies in Condensed-Matter Physics "
                                   "VI, Springer 1993; R. I. McLachlan, SIAM J. Sci. Comput. 16 (1995) 151";
static const char sofroniou_spaletta[] = "M. Sofroniou, G. Spaletta, Optim. Methods Softw. 20 (2005) 597";

/* What belongs together is on one line. */
/* clang-format off */
const struct ph_scheme ph_schemes_prk[] = {
    {
        .name = "verlet", .summary = "velocity Verlet, or leapfrog: the simplest", .reference = swope,
        .kind = PH_SCHEME_PRK, .order = 2, .digits = 25, .letters = "BA", .flows = 3,
        .x = {0.5, 1.0},
    },
    {
        .name = "verlet-position", .summary = "position Verlet", .reference = tuckerman,
        .kind = PH_SCHEME_PRK, .order = 2, .digits = 25, .letters = "AB", .flows = 3,
        .x = {0.5, 1.0},
    },
    {
        .name = "mclachlan2", .summary = "two kicks with the least error", .reference = mclachlan,
        .kind = PH_SCHEME_PRK, .order = 2, .digits = 25, .letters = "BA", .flows = 5,
        .x = {0.1931833275037835739628998, 0.5, 0.6136333449924328520742005},
    },
    {
        .name = "mclachlan2-position", .summary = "mclachlan2 with drift and kick exchanged", .reference = mclachlan,
        .kind = PH_SCHEME_PRK, .order = 2, .digits = 25, .letters = "AB", .flows = 5,
        .x = {0.1931833275037835739628998, 0.5, 0.6136333449924328520742005},
    },
    {
        .name = "bcss2-3", .summary = "three kicks, made for the long steps of hybrid Monte Carlo",
        .reference = blanes_casas_sanz_serna,
        .kind = PH_SCHEME_PRK, .order = 2, .digits = 14, .letters = "BA", .flows = 7,
        .x = {0.11888010966548, 0.29619504261126, 0.38111989033452, 0.40760991477748},
    },
    {
        .name = "saba2", .summary = "two kicks at the nodes of Gauss, for two time scales: error of order 4 in weak kicks",
        .reference = laskar_robutel,
        .kind = PH_SCHEME_PRK, .order = 2, .digits = 25, .letters = "AB", .flows = 5,
        .x = {0.2113248654051871177454256, 0.5, 0.5773502691896257645091488},
    },
    {
        .name = "sbab2", .summary = "saba2 with the weights of Simpson, kick first", .reference = laskar_robutel,
        .kind = PH_SCHEME_PRK, .order = 2, .digits = 25, .letters = "BA", .flows = 5,
        .x = {0.1666666666666666666666667, 0.5, 0.6666666666666666666666667},
    },
    {
        .name = "yoshida4", .summary = "the triple jump: three steps of verlet, the middle one backwards",
        .reference = yoshida,
        .kind = PH_SCHEME_PRK, .order = 4, .digits = 25, .letters = "BA", .flows = 7,
        .x = {0.6756035959798288170238439, 1.351207191959657634047688, -0.1756035959798288170238439,
              -1.702414383919315268095376},
    },
    {
        .name = "yoshida4-position", .summary = "the triple jump of Forest and Ruth: three steps of verlet-position",
        .reference = forest_ruth,
        .kind = PH_SCHEME_PRK, .order = 4, .digits = 25, .letters = "AB", .flows = 7,
        .x = {0.6756035959798288170238439, 1.351207191959657634047688, -0.1756035959798288170238439,
              -1.702414383919315268095376},
    },
    {
        .name = "suzuki4", .summary = "five steps of verlet, the middle one backwards", .reference = suzuki,
        .kind = PH_SCHEME_PRK, .order = 4, .digits = 25, .letters = "BA", .flows = 11,
        .x = {0.207245385897187868571177, 0.4144907717943757371423541, 0.4144907717943757371423541,
              0.4144907717943757371423541, -0.1217361576915636057135311, -0.6579630871775029485694163},
    },
    {
        .name = "suzuki4-position", .summary = "five steps of verlet-position, the middle one backwards",
        .reference = suzuki,
        .kind = PH_SCHEME_PRK, .order = 4, .digits = 25, .letters = "AB", .flows = 11,
        .x = {0.207245385897187868571177, 0.4144907717943757371423541, 0.4144907717943757371423541,
              0.4144907717943757371423541, -0.1217361576915636057135311, -0.6579630871775029485694163},
    },
    {
        .name = "mclachlan4-ss5", .summary = "five steps of verlet with optimised weights", .reference = mclachlan,
        .kind = PH_SCHEME_PRK, .order = 4, .digits = 20, .letters = "BA", .flows = 11,
        .x = {0.1400000000000000000037707, 0.2800000000000000000075414, 0.452733214233835022501742,
              0.6254664284676700449959425, -0.09273321423383502250551264, -0.8109328569353400900069678},
    },
    {
        .name = "mclachlan4-s4", .summary = "four kicks, optimised", .reference = mclachlan,
        .kind = PH_SCHEME_PRK, .order = 4, .digits = 19, .letters = "BA", .flows = 9,
        .x = {0.1691392799220720451750025, 0.5454545454545454545454545, -0.2991862039040507995086317,
              -0.04545454545454545454545455, 1.260093847963957508667258},
    },
    {
        .name = "mclachlan4-s5", .summary = "five kicks, optimised", .reference = mclachlan,
        .kind = PH_SCHEME_PRK, .order = 4, .digits = 20, .letters = "BA", .flows = 11,
        .x = {0.08926945422647524488669461, 0.4, -0.09733604263689550801535994, -0.1, 0.5080665884104202631286653, 0.4},
    },
    {
        .name = "pefrl", .summary = "four kicks, position extended Forest-Ruth-like", .reference = omelyan_146,
        .kind = PH_SCHEME_PRK, .order = 4, .digits = 17, .letters = "AB", .flows = 9,
        .x = {0.1786178958448090670599038, 0.7123418310626054038318905, -0.06626458266981849627801562,
              -0.2123418310626054038318905, 0.7752933736500188584362237},
    },
    {
        .name = "vefrl", .summary = "four kicks, velocity extended Forest-Ruth-like", .reference = omelyan_146,
        .kind = PH_SCHEME_PRK, .order = 4, .digits = 16, .letters = "BA", .flows = 9,
        .x = {0.1644986515575759720216332, 0.5209433391039898810671613, 1.235692651138916999762645,
              -0.02094333910398988106716128, -1.800382605392985943568557},
    },
    {
        .name = "omelyan4-5fv", .summary = "five kicks, least error; good in fluids at moderate accuracy",
        .reference = omelyan_151,
        .kind = PH_SCHEME_PRK, .order = 4, .digits = 17, .letters = "BA", .flows = 11,
        .x = {0.08398315262876694720626149, 0.2539785108410594853782663, 0.6822365335719091004575516,
              -0.03230286765269966969138588, -0.2662196862006760476638131, 0.5566487136232803686262391},
    },
    {
        .name = "omelyan4-5fp", .summary = "five kicks, least error, drift first", .reference = omelyan_151,
        .kind = PH_SCHEME_PRK, .order = 4, .digits = 17, .letters = "AB", .flows = 11,
        .x = {0.275008121233241917992381, -0.08442961950707151172473049, -0.134795009910679204965153,
              0.3549000571574260110862135, 0.359786888677437286972772, 0.459059124699291001277034},
    },
    {
        .name = "s4-6", .summary = "six kicks, optimised", .reference = blanes_moan,
        .kind = PH_SCHEME_PRK, .order = 4, .digits = 16, .letters = "AB", .flows = 13,
        .x = {0.07920369643119565284976297, 0.2095151066133619991664356, 0.3531729060497739989638024,
              -0.1438517731798180059124734, -0.04206508035771953830045741, 0.4343366665664560067460378,
              0.2193769557534997729737841},
    },
    {
        .name = "s4-6-kick", .summary = "s4-6 with drift and kick exchanged", .reference = blanes_moan,
        .kind = PH_SCHEME_PRK, .order = 4, .digits = 16, .letters = "BA", .flows = 13,
        .x = {0.07920369643119565284976297, 0.2095151066133619991664356, 0.3531729060497739989638024,
              -0.1438517731798180059124734, -0.04206508035771953830045741, 0.4343366665664560067460378,
              0.2193769557534997729737841},
    },
    {
        .name = "aba864", .summary = "seven kicks, generalised order (8,6,4) for nearly integrable systems",
        .reference = blanes_2013,
        .kind = PH_SCHEME_PRK, .order = 4, .digits = 25, .letters = "AB", .flows = 15,
        .x = {0.07113342649822311777793873, 0.1830836874721972219617038, 0.2411534279566400987364878,
              0.3107828598985748695075223, 0.5214117617728147892121361, -0.02656461851195880069721214,
              -0.3336986162276780057265626, 0.06539614228237341845597218},
    },
    {
        .name = "aba1064", .summary = "eight kicks, generalised order (10,6,4) for nearly integrable systems",
        .reference = blanes_2013,
        .kind = PH_SCHEME_PRK, .order = 4, .digits = 25, .letters = "AB", .flows = 17,
        .x = {0.03809449742241219545697532, 0.0958588808370752106107715, 0.1452987161169137492940201,
              0.2044461531429987806805078, 0.2076276957255412507162056, 0.2170703479789911017143386,
              0.4359097036515261592231549, -0.01737538195906509300561788, -0.6538612258327867093807117},
    },
    {
        .name = "yoshida6", .summary = "seven steps of verlet, solution A", .reference = yoshida,
        .kind = PH_SCHEME_PRK, .order = 6, .digits = 20, .letters = "BA", .flows = 15,
        .x = {0.3922568052387786319097488, 0.7845136104775572638194976, 0.5100434119184576987521454,
              0.2355732133593581336847932, -0.4710533854097564366308112, -1.177679984178871006946416,
              0.06875316825252010596891702, 1.31518632068391121888425},
    },
    {
        .name = "kahan-li6-9", .summary = "nine steps of verlet", .reference = kahan_li,
        .kind = PH_SCHEME_PRK, .order = 6, .digits = 25, .letters = "BA", .flows = 19,
        .x = {0.1960807220036570696396253, 0.3921614440073141392792506, 0.3623802903983367889394996,
              0.3325991367893594385997486, -0.1868235178841399606051081, -0.7062461725576393598099648,
              -0.3120162881320442797892372, 0.08221359629355080023149045, 0.4403787936141903818152204,
              0.7985439909348299633989504},
    },
    {
        .name = "kahan-li6-9-position", .summary = "nine steps of verlet-position", .reference = kahan_li,
        .kind = PH_SCHEME_PRK, .order = 6, .digits = 25, .letters = "AB", .flows = 19,
        .x = {0.1960807220036570696396253, 0.3921614440073141392792506, 0.3623802903983367889394996,
              0.3325991367893594385997486, -0.1868235178841399606051081, -0.7062461725576393598099648,
              -0.3120162881320442797892372, 0.08221359629355080023149045, 0.4403787936141903818152204,
              0.7985439909348299633989504},
    },
    {
        .name = "mclachlan6-ss9", .summary = "nine steps of verlet", .reference = mclachlan,
        .kind = PH_SCHEME_PRK, .order = 6, .digits = 19, .letters = "BA", .flows = 19,
        .x = {0.09334999999999999999807705, 0.1866999999999999999961541, 0.3710985118562391995768697,
              0.5554970237124783991575853, 0.3424819863129768786085196, 0.129466948913475358059454,
              -0.3568993372371296252450639, -0.8432656233877346085495817, 0.04996883906791354706159749,
              0.9432033015235617026727767},
    },
    {
        .name = "prk6-9a", .summary = "nine kicks, the number that the order conditions need", .reference = simplectic,
        .kind = PH_SCHEME_PRK, .order = 6, .digits = 16, .letters = "AB", .flows = 19,
        .x = {0.09517625454177405267746114, 0.666296893997707801342075, -0.1279502855236867794121919,
              0.0246189009521050871307843, 0.1059729534532511314379359, -0.4107255336179511323199287,
              0.4482222766008274841685163, 0.6577292620509131776893513, -0.02142119907216588887172145,
              -0.8758390467655498676845637},
    },
    {
        .name = "s6-10", .summary = "ten kicks, optimised", .reference = blanes_moan,
        .kind = PH_SCHEME_PRK, .order = 6, .digits = 16, .letters = "AB", .flows = 21,
        .x = {0.05026276440039268602122165, 0.148816447901043231920901, 0.4135143004283438150630637,
              -0.1323858657677836474488454, 0.04507988979439806296889705, 0.0673076046921844581502579,
              -0.1880548538195689147991285, 0.432666402578173597527668, 0.5419606784507801348314147,
              -0.01640458940361764014998145, -0.7255255585086915681709374},
    },
    {
        .name = "s6-10-kick", .summary = "s6-10 with drift and kick exchanged", .reference = blanes_moan,
        .kind = PH_SCHEME_PRK, .order = 6, .digits = 16, .letters = "BA", .flows = 21,
        .x = {0.05026276440039268602122165, 0.148816447901043231920901, 0.4135143004283438150630637,
              -0.1323858657677836474488454, 0.04507988979439806296889705, 0.0673076046921844581502579,
              -0.1880548538195689147991285, 0.432666402578173597527668, 0.5419606784507801348314147,
              -0.01640458940361764014998145, -0.7255255585086915681709374},
    },
    {
        .name = "yoshida8", .summary = "fifteen steps of verlet, solution D", .reference = yoshida,
        .kind = PH_SCHEME_PRK, .order = 8, .digits = 14, .letters = "BA", .flows = 31,
        .x = {0.4574221231148957833743967, 0.9148442462297915667487935, 0.5842687913980014604474698,
              0.253693336566211354146146, -0.5955794501471969017742923, -1.444852236860605157694731,
              -0.8015464361143276664493987, -0.1582406353680501752040668, 0.8899492511272379056875599,
              1.938139137622525986579186, -0.01123554767639241051422344, -1.960610232975310807607633,
              -0.9289051917917571834547591, 0.1027998493917964406981151, 0.9056264600895390126832472,
              1.708453070787281584668379},
    },
    {
        .name = "suzuki-umeno8-15", .summary = "fifteen steps of verlet", .reference = suzuki_umeno,
        .kind = PH_SCHEME_PRK, .order = 8, .digits = 25, .letters = "BA", .flows = 31,
        .x = {0.3708351821753064767241139, 0.7416703643506129534482278, 0.1662847692752906797254638,
              -0.4091008258000315939973001, -0.1091730577518966070217119, 0.1907547102962383799538763,
              -0.1915538804099219433512557, -0.5738624711160822666563877, -0.1373991449062131714059621,
              0.2990641813036559238444635, 0.3168445497744770538147108, 0.334624918245298183784958,
              0.3249590053210323902085073, 0.3152930923967665966320567, -0.2407974234780748786938661,
              -0.7968879393529163540197888},
    },
    {
        .name = "kahan-li8-17", .summary = "seventeen steps of verlet", .reference = kahan_li,
        .kind = PH_SCHEME_PRK, .order = 8, .digits = 25, .letters = "BA", .flows = 35,
        .x = {0.06510124154444504043940882, 0.1302024830888900808788176, 0.345682732431999232720391,
              0.5611629817751083845619644, 0.0858440095651305490769429, -0.3894749626448472864080786,
              -0.1153165280448458427559339, 0.1588419065551556008962108, -0.1185309937890409882200104,
              -0.3959038941332375773362315, -0.1056821265774609351221995, 0.1845396409783157070918325,
              0.2214570143323188771929058, 0.2583743876863220472939791, 0.2766930556478161730824727,
              0.2950117236093102988709662, -0.1552484051103621064139774, -0.6055085338300345116989211},
    },
    {
        .name = "kahan-li8-17-position", .summary = "seventeen steps of verlet-position", .reference = kahan_li,
        .kind = PH_SCHEME_PRK, .order = 8, .digits = 25, .letters = "AB", .flows = 35,
        .x = {0.06510124154444504043940882, 0.1302024830888900808788176, 0.345682732431999232720391,
              0.5611629817751083845619644, 0.0858440095651305490769429, -0.3894749626448472864080786,
              -0.1153165280448458427559339, 0.1588419065551556008962108, -0.1185309937890409882200104,
              -0.3959038941332375773362315, -0.1056821265774609351221995, 0.1845396409783157070918325,
              0.2214570143323188771929058, 0.2583743876863220472939791, 0.2766930556478161730824727,
              0.2950117236093102988709662, -0.1552484051103621064139774, -0.6055085338300345116989211},
    },
    {
        .name = "mclachlan8-ss17", .summary = "seventeen steps of verlet", .reference = mclachlan,
        .kind = PH_SCHEME_PRK, .order = 8, .digits = 19, .letters = "BA", .flows = 35,
        .x = {0.06443298969072164948243985, 0.1288659793814432989648797, 0.3551900332433471306979718,
              0.581514087105250962431064, 0.08566935781770041245436485, -0.4101753714698501375223343,
              -0.1125142178766312024326241, 0.1851469357165877326570861, -0.1122027038521318433463799,
              -0.409552343420851419349846, -0.1325732011704196891445728, 0.1444059410800120410607004,
              0.2113707207368458461875268, 0.2783355003936796513143532, 0.296646092154987254599366,
              0.3149566839162948578843787, -0.1560190707444195584980925, -0.6269948254051339748805638},
    },
    {
        .name = "sofroniou10-35", .summary = "35 steps of verlet-position", .reference = sofroniou_spaletta,
        .kind = PH_SCHEME_PRK, .order = 10, .digits = 25, .letters = "AB", .flows = 71,
        .x = {0.03939786126084320963195384,  0.07879572252168641926390768,   0.1959459129683974735143601,
              0.3130961034151085277648125,   0.1705072433250932969371664,    0.02791838323507806610952027,
              -0.1008372291794145140208466,  -0.2295928415939070941512134,   -0.04931539025837111548827827,
              0.1309620610771648631746569,   -0.06938567228867292558497644,  -0.2697334056545107143446097,
              -0.09738003124930963933923631, 0.07497334315589143566613711,   0.09348338357785082027785609,
              0.1119934239998102048895751,   0.2390634367730184780413616,    0.3661334495462267511931481,
              -0.01648609029490457334274084, -0.3991056301360358978786298,   -0.1480091158042824102814135,
              0.1030873985274710773158028,   0.2572591362416806575682534,    0.4114308739558902378207041,
              0.2032822566863774880292542,   -0.004866360583135261762195659, -0.1984498571458875841051388,
              -0.3920333537086399064480819,  -0.1700454253730951297054495,   0.0519425029624496470371829,
              0.05130379686118707168652862,  0.05066509075992449633587434,   0.05016973069982718769522157,
              0.0496743706397298790545688,   0.0494960531996622084861244,    0.04931773575959453791768001},
    },
    {
        .name = "sofroniou10-35-kick", .summary = "35 steps of verlet", .reference = sofroniou_spaletta,
        .kind = PH_SCHEME_PRK, .order = 10, .digits = 25, .letters = "BA", .flows = 71,
        .x = {0.03939786126084320963195384,  0.07879572252168641926390768,   0.1959459129683974735143601,
              0.3130961034151085277648125,   0.1705072433250932969371664,    0.02791838323507806610952027,
              -0.1008372291794145140208466,  -0.2295928415939070941512134,   -0.04931539025837111548827827,
              0.1309620610771648631746569,   -0.06938567228867292558497644,  -0.2697334056545107143446097,
              -0.09738003124930963933923631, 0.07497334315589143566613711,   0.09348338357785082027785609,
              0.1119934239998102048895751,   0.2390634367730184780413616,    0.3661334495462267511931481,
              -0.01648609029490457334274084, -0.3991056301360358978786298,   -0.1480091158042824102814135,
              0.1030873985274710773158028,   0.2572591362416806575682534,    0.4114308739558902378207041,
              0.2032822566863774880292542,   -0.004866360583135261762195659, -0.1984498571458875841051388,
              -0.3920333537086399064480819,  -0.1700454253730951297054495,   0.0519425029624496470371829,
              0.05130379686118707168652862,  0.05066509075992449633587434,   0.05016973069982718769522157,
              0.0496743706397298790545688,   0.0494960531996622084861244,    0.04931773575959453791768001},
    },
};
/* clang-format on */

const size_t ph_schemes_prk_count = sizeof ph_schemes_prk / sizeof ph_schemes_prk[0];
