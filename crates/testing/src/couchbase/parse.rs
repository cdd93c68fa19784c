//! SQL++ as far as the module under test writes it: texts into trees. Anything else is refused.

use serde_json::Value;

#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// A keyword or a name without quotes.
    Word(String),
    /// A name between backticks.
    Name(String),
    Text(String),
    Number(Value),
    Parameter(usize),
    Sign(&'static str),
    End,
}

#[derive(Clone, Debug)]
pub enum Expr {
    Value(Value),
    Parameter(usize),
    Alias(String),
    Field(Box<Expr>, String),
    Element(Box<Expr>, Box<Expr>),
    Call(String, Vec<Expr>),
    List(Vec<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// Whether it is (or is not) NULL, MISSING or VALUED.
    Is(Box<Expr>, bool, String),
}

#[derive(Clone, Debug)]
pub struct Keyspace {
    pub system: bool,
    pub name: String,
    pub alias: String,
    pub keys: Option<Expr>,
    pub index: Option<String>,
    /// Whether a hash join is asked for.
    pub hash: bool,
}

#[derive(Clone, Debug)]
pub enum Join {
    OnKeys(Keyspace, Expr),
    On(Keyspace, Expr),
    Unnest(Expr, String),
}

#[derive(Clone, Debug)]
pub struct Select {
    pub raw: Expr,
    pub from: Option<Keyspace>,
    pub joins: Vec<Join>,
    pub filter: Option<Expr>,
    pub group: Vec<Expr>,
    pub order: Vec<(Expr, bool)>,
    pub limit: Option<Expr>,
    pub offset: Option<Expr>,
}

#[derive(Clone, Debug)]
pub enum Statement {
    Select(Select),
    /// Where the SELECT finds nothing.
    Insert {
        into: Keyspace,
        key: Expr,
        value: Expr,
        unless: Box<Select>,
        raw: Expr,
    },
    Upsert {
        into: Keyspace,
        key: Expr,
        value: Expr,
    },
    Update {
        of: Keyspace,
        set: Vec<(Expr, Expr)>,
        unset: Vec<Expr>,
        filter: Option<Expr>,
        raw: Expr,
    },
    Delete {
        of: Keyspace,
        filter: Option<Expr>,
        raw: Expr,
    },
    Begin,
    Commit,
    Rollback,
    Prepare {
        name: String,
        text: String,
    },
    Explain(Select),
    CreateScope(Vec<String>),
    CreateCollection(Vec<String>),
    DropCollection(Vec<String>),
    CreateIndex {
        name: String,
        on: String,
        fields: usize,
    },
    BuildIndex {
        on: String,
        names: Vec<String>,
    },
}

const SIGNS: [&str; 22] = [
    "<=", ">=", "!=", "(", ")", "[", "]", "{", "}", ",", ".", ":", "=", "<", ">", "+", "-", "*",
    "/", ";", "'", "%",
];

fn tokens(text: &str) -> Result<Vec<(Token, usize)>, String> {
    let bytes = text.as_bytes();
    let (mut tokens, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let start = at;
        let run = |from: usize, good: fn(u8) -> bool| {
            from + bytes[from..].iter().take_while(|b| good(**b)).count()
        };
        let token = match bytes[at] {
            b if b.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            quote @ (b'`' | b'"') => {
                let end = text[at + 1..].find(char::from(quote)).ok_or("a quote without an end")?;
                let inner = text[at + 1..at + 1 + end].to_owned();
                at += end + 2;
                if quote == b'`' { Token::Name(inner) } else { Token::Text(inner) }
            }
            b'$' => {
                at = run(at + 1, |b| b.is_ascii_digit());
                Token::Parameter(text[start + 1..at].parse().map_err(|_| "a bad parameter")?)
            }
            b if b.is_ascii_digit() => {
                at = run(at, |b| b.is_ascii_digit() || b == b'.');
                let number = serde_json::from_str(&text[start..at]);
                Token::Number(number.map_err(|e| e.to_string())?)
            }
            b if b.is_ascii_alphabetic() || b == b'_' => {
                at = run(at, |b| b.is_ascii_alphanumeric() || b == b'_');
                Token::Word(text[start..at].to_owned())
            }
            _ => {
                let sign = SIGNS.into_iter().find(|sign| text[at..].starts_with(sign));
                let sign = sign.ok_or_else(|| format!("syntax error near {}", &text[at..]))?;
                at += sign.len();
                Token::Sign(sign)
            }
        };
        tokens.push((token, start));
    }
    tokens.push((Token::End, text.len()));
    Ok(tokens)
}

/// Reads one statement.
pub fn parse(text: &str) -> Result<Statement, String> {
    let mut parser = Parser { text, tokens: tokens(text)?, at: 0 };
    let statement = parser.statement()?;
    match parser.next() {
        Token::End => Ok(statement),
        other => Err(format!("syntax error near {other:?}")),
    }
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<(Token, usize)>,
    at: usize,
}

type Parsed<T> = Result<T, String>;

impl Parser<'_> {
    fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn next(&mut self) -> Token {
        let token = self.tokens[self.at].0.clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// Steps over these keywords if they are next.
    fn words(&mut self, words: &str) -> bool {
        let count = words.split(' ').count();
        let fits = words.split(' ').enumerate().all(|(i, word)| {
            matches!(self.tokens.get(self.at + i), Some((Token::Word(w), _)) if w.eq_ignore_ascii_case(word))
        });
        if fits {
            self.at += count;
        }
        fits
    }

    fn sign(&mut self, sign: &str) -> bool {
        let fits = matches!(self.peek(), Token::Sign(s) if *s == sign);
        if fits {
            self.at += 1;
        }
        fits
    }

    fn expect(&mut self, what: &str) -> Parsed<()> {
        let there = if what.as_bytes()[0].is_ascii_alphabetic() {
            self.words(what)
        } else {
            self.sign(what)
        };
        if there {
            Ok(())
        } else {
            Err(format!("syntax error: {what} expected, not {:?}", self.peek()))
        }
    }

    fn name(&mut self) -> Parsed<String> {
        match self.next() {
            Token::Name(name) | Token::Word(name) => Ok(name),
            other => Err(format!("syntax error: a name expected, not {other:?}")),
        }
    }

    fn list<T>(&mut self, mut one: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut all = vec![one(self)?];
        while self.sign(",") {
            all.push(one(self)?);
        }
        Ok(all)
    }

    fn statement(&mut self) -> Parsed<Statement> {
        if self.words("SELECT RAW") {
            return self.select().map(Statement::Select);
        }
        if self.words("INSERT INTO") {
            let into = self.keyspace()?;
            for words in ["(", "KEY k", ",", "VALUE v", ")", "SELECT"] {
                self.expect(words)?;
            }
            let key = self.expr()?;
            self.expect("AS k")?;
            self.expect(",")?;
            let value = self.expr()?;
            for words in ["AS v", "WHERE NOT EXISTS", "(", "SELECT RAW"] {
                self.expect(words)?;
            }
            let unless = Box::new(self.select()?);
            self.expect(")")?;
            let (_, raw) = self.filter_and_returning()?;
            return Ok(Statement::Insert { into, key, value, unless, raw });
        }
        if self.words("UPSERT INTO") {
            let into = self.keyspace()?;
            for words in ["(", "KEY", ",", "VALUE", ")", "VALUES", "("] {
                self.expect(words)?;
            }
            let key = self.expr()?;
            self.expect(",")?;
            let value = self.expr()?;
            self.expect(")")?;
            return Ok(Statement::Upsert { into, key, value });
        }
        if self.words("UPDATE") {
            let of = self.keyspace()?;
            let mut set = Vec::new();
            if self.words("SET") {
                set = self.list(|p| {
                    let path = p.path()?;
                    p.expect("=")?;
                    Ok((path, p.sum()?))
                })?;
            }
            let unset = if self.words("UNSET") { self.list(Self::path)? } else { Vec::new() };
            let (filter, raw) = self.filter_and_returning()?;
            return Ok(Statement::Update { of, set, unset, filter, raw });
        }
        if self.words("DELETE FROM") {
            let of = self.keyspace()?;
            let (filter, raw) = self.filter_and_returning()?;
            return Ok(Statement::Delete { of, filter, raw });
        }
        for (words, statement) in [
            ("BEGIN WORK", Statement::Begin),
            ("COMMIT WORK", Statement::Commit),
            ("ROLLBACK WORK", Statement::Rollback),
        ] {
            if self.words(words) {
                return Ok(statement);
            }
        }
        if self.words("EXPLAIN SELECT RAW") {
            return self.select().map(Statement::Explain);
        }
        if self.words("PREPARE FORCE") {
            let name = self.name()?;
            self.expect("FROM")?;
            let text = self.text[self.tokens[self.at].1..].to_owned();
            self.at = self.tokens.len() - 1;
            return Ok(Statement::Prepare { name, text });
        }
        if self.words("CREATE SCOPE") {
            return self.full_name().map(Statement::CreateScope);
        }
        if self.words("CREATE COLLECTION") {
            return self.full_name().map(Statement::CreateCollection);
        }
        if self.words("DROP COLLECTION") {
            return self.full_name().map(Statement::DropCollection);
        }
        let primary = self.words("CREATE PRIMARY INDEX");
        if primary || self.words("CREATE INDEX") {
            let name = self.name()?;
            self.expect("ON")?;
            let on = self.name()?;
            let mut fields = 0;
            if !primary {
                self.expect("(")?;
                fields = self.list(Self::path)?.len();
                self.expect(")")?;
            }
            self.expect("USING GSI")?;
            self.expect("WITH")?;
            self.expect("{")?;
            while !self.sign("}") {
                if self.next() == Token::End {
                    return Err("syntax error: } expected".into());
                }
            }
            return Ok(Statement::CreateIndex { name, on, fields });
        }
        if self.words("BUILD INDEX ON") {
            let on = self.name()?;
            self.expect("(")?;
            let names = self.list(Self::name)?;
            self.expect(")")?;
            self.expect("USING GSI")?;
            return Ok(Statement::BuildIndex { on, names });
        }
        Err(format!("syntax error near {:?}", self.peek()))
    }

    /// `default:a.b.c`
    fn full_name(&mut self) -> Parsed<Vec<String>> {
        self.expect("default")?;
        self.expect(":")?;
        let mut names = vec![self.name()?];
        while self.sign(".") {
            names.push(self.name()?);
        }
        Ok(names)
    }

    fn filter_and_returning(&mut self) -> Parsed<(Option<Expr>, Expr)> {
        let filter = if self.words("WHERE") { Some(self.expr()?) } else { None };
        self.expect("RETURNING RAW")?;
        Ok((filter, self.expr()?))
    }

    fn keyspace(&mut self) -> Parsed<Keyspace> {
        let mut name = self.name()?;
        let system = name == "system" && self.sign(":");
        if system {
            name = self.name()?;
        }
        self.expect("AS")?;
        let mut keyspace =
            Keyspace { system, name, alias: self.name()?, keys: None, index: None, hash: false };
        if self.words("USE KEYS") {
            keyspace.keys = Some(self.primary()?);
        } else if self.words("USE INDEX") {
            self.expect("(")?;
            keyspace.index = Some(self.name()?);
            self.expect("USING GSI")?;
            self.expect(")")?;
        } else if self.words("USE HASH") {
            self.expect("(")?;
            self.expect("BUILD")?;
            self.expect(")")?;
            keyspace.hash = true;
        }
        Ok(keyspace)
    }

    fn select(&mut self) -> Parsed<Select> {
        let mut select = Select {
            raw: self.expr()?,
            from: None,
            joins: Vec::new(),
            filter: None,
            group: Vec::new(),
            order: Vec::new(),
            limit: None,
            offset: None,
        };
        if self.words("FROM") {
            select.from = Some(self.keyspace()?);
        }
        loop {
            if self.words("UNNEST") {
                let list = self.path()?;
                self.expect("AS")?;
                select.joins.push(Join::Unnest(list, self.name()?));
            } else if self.words("JOIN") {
                let keyspace = self.keyspace()?;
                select.joins.push(if self.words("ON KEYS") {
                    Join::OnKeys(keyspace, self.path()?)
                } else {
                    self.expect("ON")?;
                    Join::On(keyspace, self.expr()?)
                });
            } else {
                break;
            }
        }
        if self.words("WHERE") {
            select.filter = Some(self.expr()?);
        }
        if self.words("GROUP BY") {
            select.group = self.list(Self::expr)?;
        }
        if self.words("ORDER BY") {
            select.order = self.list(|p| Ok((p.expr()?, p.words("DESC"))))?;
        }
        if self.words("LIMIT") {
            select.limit = Some(self.primary()?);
        }
        if self.words("OFFSET") {
            select.offset = Some(self.primary()?);
        }
        Ok(select)
    }

    fn expr(&mut self) -> Parsed<Expr> {
        let mut left = self.conjunction()?;
        while self.words("OR") {
            left = Expr::Binary("OR", left.into(), self.conjunction()?.into());
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Parsed<Expr> {
        let mut left = self.comparison()?;
        while self.words("AND") {
            left = Expr::Binary("AND", left.into(), self.comparison()?.into());
        }
        Ok(left)
    }

    fn comparison(&mut self) -> Parsed<Expr> {
        let left = self.sum()?;
        for sign in ["<=", ">=", "=", "<", ">"] {
            if self.sign(sign) {
                return Ok(Expr::Binary(sign, left.into(), self.sum()?.into()));
            }
        }
        if self.words("IN") {
            return Ok(Expr::Binary("IN", left.into(), self.sum()?.into()));
        }
        if self.words("IS") {
            let positive = !self.words("NOT");
            return Ok(Expr::Is(left.into(), positive, self.name()?.to_uppercase()));
        }
        Ok(left)
    }

    fn sum(&mut self) -> Parsed<Expr> {
        let mut left = self.product()?;
        while self.sign("+") {
            left = Expr::Binary("+", left.into(), self.product()?.into());
        }
        Ok(left)
    }

    fn product(&mut self) -> Parsed<Expr> {
        let mut left = self.primary()?;
        loop {
            let sign = ["*", "/"].into_iter().find(|sign| self.sign(sign));
            let Some(sign) = sign else { return Ok(left) };
            left = Expr::Binary(sign, left.into(), self.primary()?.into());
        }
    }

    fn path(&mut self) -> Parsed<Expr> {
        let start = Expr::Alias(self.name()?);
        self.steps(start)
    }

    fn steps(&mut self, mut from: Expr) -> Parsed<Expr> {
        loop {
            if self.sign(".") {
                from = Expr::Field(from.into(), self.name()?);
            } else if self.sign("[") {
                from = Expr::Element(from.into(), self.expr()?.into());
                self.expect("]")?;
            } else {
                return Ok(from);
            }
        }
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let token = self.next();
        let start = match token {
            Token::Parameter(n) => Expr::Parameter(n),
            Token::Number(value) => Expr::Value(value),
            Token::Text(text) => Expr::Value(text.into()),
            Token::Sign("(") => {
                let inner = self.expr()?;
                self.expect(")")?;
                inner
            }
            Token::Sign("[") => {
                let inner = self.list(Self::expr)?;
                self.expect("]")?;
                Expr::List(inner)
            }
            Token::Word(word) if self.sign("(") => {
                let args = if self.sign(")") {
                    Vec::new()
                } else {
                    let args = self.list(Self::expr)?;
                    self.expect(")")?;
                    args
                };
                Expr::Call(word.to_uppercase(), args)
            }
            Token::Word(name) | Token::Name(name) => Expr::Alias(name),
            other => return Err(format!("syntax error near {other:?}")),
        };
        self.steps(start)
    }
}
