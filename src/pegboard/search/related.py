"""Everyday words, and others that a tool for the same thing may be told in. English; tables and what reads them.

An ask is in its author's words, a definition in its own: ``film`` for ``movie``, or ``sneakers`` where a tool searches
products. The tables come from general knowledge of the language and of what software is made for. Names of well-known
products are there as what people say for a thing (``spotify`` for music); there is no word of grammar.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import permutations, product
from typing import Final

from pegboard.search.text import stem

_SAME: Final = """
    abort cancel stop; access login signin; account profile user; actor actress cast; add append create insert; adjust
    change modify; advertisement ad advert; advise recommend suggest; affordable cheap inexpensive budget; aim goal
    objective target; air flight plane airplane aircraft; airline flight carrier; alarm reminder timer; alert
    notification notify warning; amount quantity; analysis analyze analytics examine; animal pet wildlife; answer reply
    response; apartment flat condo rental; api endpoint interface; appointment booking meeting; approve accept confirm;
    archive compress zip; area region zone; arithmetic math calculator; arrange organize sort; article post story;
    assess evaluate rate; attach attachment file; attorney lawyer solicitor; auction bid; audio sound; audit inspect
    review; author writer; autumn fall; average mean; award prize; backup copy restore; balance account funds; band
    artist group; bank account banking; battle fight; begin start; birthday birth born; blog post article; body content
    text; bond treasury; book novel title; book reserve; booking reservation; bot assistant chatbot; branch fork; browse
    explore; browser page tab; bug defect issue; build compile make; business company enterprise firm corporation; buy
    purchase order; cab taxi ride; calendar schedule agenda; call dial; camera photo; cancel revoke; car vehicle
    automobile auto; career job; cash money currency; category genre type class; chance probability likelihood; change
    edit update modify; channel feed; charge bill fee; chart graph plot diagram visualize visualization; chat
    conversation message; check verify validate; chemical compound chemistry; child kid children; choose select pick;
    cinema theater movie; city town; clean cleanup clear purge; client customer; climate weather; clinic hospital
    doctor; clip video; clone copy duplicate replicate; close shut; clothes clothing apparel fashion outfit garment;
    cloud aws azure; club team; coin token crypto cryptocurrency; colleague coworker employee; college university
    school; color colour; combine merge join concatenate; comic manga; command shell terminal execute; comment remark
    feedback; commodity gold silver oil; compare comparison versus; competitor rival competition; computation
    calculation; compute calculate; computer machine laptop; concert gig show; connect connection link; contact person
    people; container docker pod; contract agreement; convert transform conversion converter; cook cooking recipe;
    coordinate latitude longitude geocode; correct fix repair; count number total; country nation; coupon promo discount
    voucher; course class lesson; create make; create open; create new; crop cut trim; cryptocurrency bitcoin ethereum;
    currency exchange forex money; cv resume; data dataset; database db sql; date day; deadline due; deal offer
    discount; debug troubleshoot diagnose; decrease reduce lower; decrypt decode; define definition meaning; delete
    remove erase drop; delivery shipping shipment package parcel courier; deploy release publish; describe explain
    description explanation; design create; destination place; detect recognize identify; device gadget hardware; diet
    nutrition; difference subtract minus; difference compare diff; digest summary; diner restaurant dining; directions
    route navigation navigate; director crew; directory folder; disease illness condition; dish meal food; display show
    view; distance far length; divide split; doc document; doctor physician practitioner; domain website hostname;
    donate donation charity; download export fetch; draft compose write; draw drawing sketch paint; drive driving; drug
    medicine medication; earning revenue income profit; earthquake seismic quake; eat dining restaurant food; education
    learning school; election vote voting; electricity power energy; email mail; employee staff worker; encrypt
    encryption encode; entertainment fun leisure; equation formula expression; equity stock share; erase wipe; error
    exception failure; essay writing; estimate approximate; event happening; exam test quiz; exchange swap trade;
    exercise workout fitness; expense spending cost; experiment trial; exponent power; extract parse scrape; factor
    divisor; fan follower; fare price ticket; fee price cost; file document; fill complete; film movie; finance
    financial; find search locate lookup; fitness workout gym; flag mark label; flower plant; food cuisine; football
    soccer; forecast prediction predict; forum discussion thread; friend contact follower; fuel gas petrol gasoline;
    funny humor joke; gallery museum; game gaming; gather collect; generate create produce; get retrieve fetch obtain;
    gift present; government federal public; grade score mark; grammar spelling proofread; grocery supermarket; group
    cluster team; guess predict; guide tutorial; hair beauty salon; hash digest checksum; headline news; health medical
    medicine healthcare; height elevation altitude; highest max maximum largest; history historical past; holiday
    vacation; home house; horoscope zodiac astrology; hotel lodging accommodation inn; hour time; house property;
    hurricane storm cyclone; idea suggestion inspiration; illness sickness symptom; image photo picture photograph;
    import upload; improve optimize enhance; increase raise; inform notify; information info detail; ingredient recipe;
    install setup; instructor teacher tutor; insurance policy coverage; interest rate; internet web online; invest
    investment portfolio; invite invitation; invoice bill receipt; issue ticket; itinerary trip; job vacancy position
    occupation employment; journal paper; journey trip travel; keyword tag term; kill terminate stop; label tag;
    language translation translate; laptop notebook computer; latest recent newest new; law legal legislation; lawsuit
    court case; lead prospect; learn study; lease rent rental; length duration; lesson tutorial; level stage; library
    package module; license permit; link url; list enumerate; literature research; live realtime streaming; loan
    mortgage lending; location place address; log record; logo brand icon; lowest min minimum smallest; luck lottery;
    lyric song; magazine newspaper; mail message; makeup cosmetics beauty; manage administer; manager admin; map
    location geography; market trading exchange; marketing advertising campaign; match game fixture; math mathematics
    mathematical; measure measurement unit; medicine prescription pharmacy; meet meeting; meme gif; memo note; memory
    remember recall; menu dish; merge pull; message text sms; metal element; mobile phone smartphone; model llm ai;
    money cash fund; monitor track watch; multiply product; music song audio; name title; near nearby close around;
    neighborhood area; network internet; number numeric digit; object entity; open launch; opinion review; organization
    company; output result; owner holder; page website webpage; paint art; painting artwork; paper article publication;
    parking garage; parse read; password credential secret; patient medical; pay payment transaction; pdf document;
    percent percentage; performance metric; permission access role; phone telephone call; photo photograph pic; picture
    drawing; pipeline workflow; place venue; plan schedule; planet space astronomy; plant garden; play listen; player
    athlete; playlist track song; podcast episode; poem poetry; policy rule; politician congress senator; pollution air;
    popular trending trend; port ship vessel; portfolio holding; position location; post publish; predict estimate;
    president government; print output; privacy security; process run; product item good merchandise; project
    repository; projection forecast; property estate; protein gene; query search; question ask; queue task; quick fast;
    quotation quote; rain precipitation rainfall; random dice; rank ranking top; rate rating; read view; reboot restart;
    recipe cuisine; record entry row; refund return; register signup enroll; relation relationship; remind reminder;
    render draw; repo repository; report summary; request query; research study; reserve reservation; restaurant cafe;
    result score; revert rollback undo; review rating; roll dice; root square; route direction; run execute; salary wage
    pay; satellite orbit space; save store; scan detect; schedule timetable; science scientific; score point; screen
    display; screenshot capture; sea ocean marine; season series; sell sale; send deliver; sentiment emotion mood;
    sequence series; serve host; server host; service provider; share post; shoe sneaker footwear; shop store; shopping
    buy; shorten short; show series; shut shutdown; sign signature; singer artist musician; site website; size
    dimension; solve calculate; speech voice; speed velocity; sport athletic; spreadsheet sheet excel; star celestial;
    start launch; statistic stats statistical; status state; stock ticker; story tale; stream video; street address;
    student pupil; subject topic; sum addition add; summarize summary condense; surface area; surname name; symptom
    disease; sync synchronize; synonym thesaurus; table spreadsheet; task todo; tax taxation; teach education; team
    squad; temperature temp; text string; theme template; therapy treatment; ticket admission; time clock; timezone
    time; tool utility; topic theme; total sum; tour trip; tourist tourism attraction; track follow; trade trading;
    traffic congestion; train rail railway; train training; transcribe transcript transcription; transfer send;
    translate translator; transport transit; treatment medical; tv television; tweet twitter; update upgrade; user
    member; utility helper; vaccine vaccination; value worth; verify authenticate; version release; video movie; visa
    passport immigration; visit tour; visitor traffic; voice audio; volume capacity; wallet balance; watch view; water
    hydrology; weather temperature; website web; weight mass; win winner; wine drink; word vocabulary; write create;
    wrong incorrect; yoga exercise; zip postal
"""
"""Words that may stand for one another, group by group."""

_ABOUT: Final = """
    accounting finance: ledger bookkeeping payable receivable invoice
    agriculture farm: crop soil harvest livestock cattle irrigation
    ai model: chatgpt gpt llm prompt neural inference classifier
    animal pet: dog puppy cat kitten breed vet bird horse fish
    art image: draw paint illustration portrait sketch artwork
    astronomy space: planet moon mars nasa galaxy telescope asteroid eclipse
    astrology horoscope: aries taurus gemini leo virgo libra scorpio tarot
    audio voice: speech podcast sound mp3 narration
    beauty product: makeup lipstick skincare shampoo perfume
    book library: novel author isbn chapter bestseller
    browser web: click navigate tab webpage screenshot
    calendar event: meeting appointment remind availability invite
    car vehicle: drive engine mileage sedan suv truck tire tesla toyota ford motor
    chart visualization: plot diagram graph pie bar histogram
    charity donation: nonprofit donate volunteer
    chemistry molecule: reaction acid atom compound element
    cloud server: deploy instance cluster vm kubernetes
    code program: python javascript java function script algorithm programming developer software
    communication message: slack whatsapp telegram chat sms
    company business: startup inc ltd corporate ceo founder
    course education: learn tutor lesson study curriculum homework student
    crypto finance: bitcoin btc ethereum eth token blockchain nft coin wallet solana defi
    currency exchange: dollar euro yen pound usd eur gbp rupee
    data analytics: dataset csv statistics metric dashboard
    database query: sql table schema postgres mysql mongodb row
    date calendar: today tomorrow yesterday weekday month
    delivery order: ship package courier tracking parcel
    document text: pdf docx word report page paragraph
    domain website: dns whois hosting registrar ssl
    electric charging: charger ev tesla
    email message: inbox gmail outlook mailbox sender
    energy power: solar wind battery electricity renewable
    entertainment event: concert show festival theater nightlife
    environment climate: carbon emission pollution footprint sustainability
    fashion product: dress shirt jacket jeans wear outfit shoes
    file directory: folder path rename
    finance investment: stock share bond dividend portfolio etf ipo hedge fund equity
    finance stock market: nasdaq dow nyse ticker trader bull bear shares
    fitness exercise: workout gym muscle training running yoga calories
    flight travel: fly airport departure arrival layover airline plane boarding
    food recipe: dinner lunch breakfast meal dish bake vegetarian vegan ingredient cuisine
    game play: puzzle chess xbox playstation steam trivia nintendo minecraft gamer quest
    genetics biology: dna gene genome protein cell mutation
    geometry math: triangle circle rectangle polygon angle perimeter radius cylinder sphere
    gift product: present birthday anniversary
    government law: congress senate bill policy regulation
    health medical: symptom disease doctor sleep covid vaccine therapy pain diagnosis
    history event: century war ancient
    home property: house bedroom bathroom garage kitchen
    hotel travel: stay room checkin hostel resort airbnb
    image photo: picture camera jpg png portrait wallpaper
    insurance finance: premium claim coverage deductible
    invoice payment: bill billing
    job career: hire hiring recruiter salary resume vacancy interview
    language translation: french spanish german english chinese japanese italian korean portuguese
    law legal: court contract attorney statute lawsuit rights judge
    loan finance: mortgage borrow lender repayment
    logistics shipping: freight cargo warehouse inventory
    map location: direction route distance latitude longitude gps
    marketing campaign: advertising audience brand promotion
    math calculate: equation integral derivative matrix factorial algebra arithmetic sum multiply
    medicine drug: pill dose prescription tablet pharmacy antibiotic
    movie film: actor actress director netflix imdb hollywood trailer
    music song: album artist playlist lyrics spotify singer melody guitar band rap
    news article: headline politics breaking journalist press
    note memory: remember notebook memo
    nutrition food: calorie protein vitamin diet
    parking location: garage
    payment money: paypal stripe checkout transaction refund
    person contact: employee colleague friend
    physics calculate: velocity acceleration force mass gravity energy momentum
    podcast audio: episode listen host
    poem text: poetry story essay
    product search: item brand purchase buy
    product shop: shoes sneakers shirt laptop headphones furniture appliance toy electronics gadget
    project task: milestone deadline kanban sprint backlog jira
    property estate: apartment rent condo villa realtor landlord tenant zillow
    recipe cooking: ingredient bake cook cuisine
    religion bible: verse quran prayer church scripture
    repository github: commit branch pull git fork contributor
    research paper: arxiv scholar study literature academic thesis citation journal publication pubmed scientific
    restaurant food: dine eat dinner lunch menu cafe pizza sushi
    restaurant reservation: dine dinner table
    review product: rating opinion
    security vulnerability: hack malware exploit cve attack virus phishing
    seo website: keyword ranking backlink traffic
    shopping product: cart buy purchase store checkout retail sale
    social media: tweet twitter instagram facebook follower post hashtag reddit linkedin influencer tiktok
    software app: install application
    sport match: football basketball soccer tennis baseball hockey cricket golf nba nfl mlb league tournament
    sport team: player league coach
    statistics data: mean median variance deviation regression correlation
    tax finance: deduction irs filing
    time timezone: clock utc gmt
    travel trip: vacation holiday itinerary sightseeing tourist destination flight hotel
    travel attraction: sightseeing landmark museum beach park tourist
    tv show: series season episode sitcom
    university education: college degree scholarship campus admission
    vehicle transport: bus train metro subway ferry
    video youtube: clip movie stream watch channel
    weather forecast: rain rainy snow sunny cloud cloudy umbrella humidity wind storm hot cold temperature degree
    website page: html url link site
    wine drink: beer cocktail beverage coffee tea
    writing text: essay grammar proofread paragraph draft
    """
"""What words are about, on the left of each colon: who has one of the words may need a tool for that."""


@cache
def related_terms() -> Mapping[str, tuple[str, ...]]:
    """Terms that may stand for a term, by that term, in the order of the tables."""
    found: dict[str, dict[str, None]] = {}
    for word, other in (*_alike(), *_subjects()):
        found.setdefault(stem(word), {})[stem(other)] = None
    return {term: tuple(other for other in others if other != term) for term, others in found.items()}


def _alike() -> Iterator[tuple[str, str]]:
    for group in _SAME.split(";"):
        yield from permutations(group.split(), 2)


def _subjects() -> Iterator[tuple[str, str]]:
    for line in _ABOUT.strip().splitlines():
        subject, _, told = line.partition(":")
        yield from product(told.split(), subject.split())
