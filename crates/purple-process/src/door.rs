//! Reads JSON text strictly: what two readers could understand differently is refused here.
//!
//! Own code, because the library at hand keeps the last of two equal keys and marks exact numbers with a key of its own.

use std::collections::BTreeMap;

use crate::json::{BadJson, JSON_BYTES_MAX, Json, NESTING_MAX, Number, check_key, check_text, cut};

impl Json {
    /// Reads one JSON document.
    ///
    /// Refused: repeated keys, half surrogate pairs, NUL, reserved keys, numbers beyond the limit, deep nesting, long
    /// documents, anything after the value.
    pub fn parse(text: &str) -> Result<Self, BadJson> {
        if text.len() > JSON_BYTES_MAX {
            return Err(BadJson::TooLong);
        }
        let mut reader = Reader { text, at: 0 };
        let value = reader.value(0)?;
        reader.skip_space();
        if reader.at < text.len() {
            return Err(reader.error("the end"));
        }
        Ok(value)
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn error(&self, what: &'static str) -> BadJson {
        BadJson::Syntax { at: self.at, what }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn take(&mut self, expected: &str) -> bool {
        let found = self.rest().starts_with(expected);
        if found {
            self.at += expected.len();
        }
        found
    }

    fn value(&mut self, depth: usize) -> Result<Json, BadJson> {
        if depth > NESTING_MAX {
            return Err(BadJson::TooDeep);
        }
        self.skip_space();
        match self.peek() {
            Some(b'{') => self.record(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => Ok(Json::Text(self.string()?)),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) if self.take("null") => Ok(Json::Null),
            Some(_) if self.take("true") => Ok(Json::Bool(true)),
            Some(_) if self.take("false") => Ok(Json::Bool(false)),
            Some(_) | None => Err(self.error("a value")),
        }
    }

    fn number(&mut self) -> Result<Json, BadJson> {
        let rest = self.rest();
        let is_part = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
        let length = rest.bytes().take_while(|byte| is_part(*byte)).count();
        let number = Number::parse(rest.get(..length).unwrap_or(""))?;
        self.at += length;
        Ok(Json::Number(number))
    }

    fn list(&mut self, depth: usize) -> Result<Json, BadJson> {
        self.at += 1;
        let mut items = Vec::new();
        self.skip_space();
        if self.take("]") {
            return Ok(Json::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.skip_space();
            if self.take("]") {
                return Ok(Json::List(items));
            }
            if !self.take(",") {
                return Err(self.error("`,` or `]`"));
            }
        }
    }

    fn record(&mut self, depth: usize) -> Result<Json, BadJson> {
        self.at += 1;
        let mut fields = BTreeMap::new();
        self.skip_space();
        if self.take("}") {
            return Ok(Json::Record(fields));
        }
        loop {
            self.skip_space();
            let at = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.error("a key"));
            }
            let name = self.string()?;
            check_key(&name)?;
            self.skip_space();
            if !self.take(":") {
                return Err(self.error("`:`"));
            }
            let value = self.value(depth + 1)?;
            if fields.contains_key(&name) {
                return Err(BadJson::DuplicateKey { key: cut(&name), at });
            }
            fields.insert(name, value);
            self.skip_space();
            if self.take("}") {
                return Ok(Json::Record(fields));
            }
            if !self.take(",") {
                return Err(self.error("`,` or `}`"));
            }
        }
    }

    fn string(&mut self) -> Result<String, BadJson> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let plain = self.rest().find(['"', '\\']).unwrap_or(self.rest().len());
            let run = self.rest().get(..plain).unwrap_or("");
            if run.bytes().any(|byte| byte < 0x20) {
                return Err(self.error("text without control characters"));
            }
            text.push_str(run);
            self.at += plain;
            if self.take("\"") {
                check_text(&text)?;
                return Ok(text);
            }
            if !self.take("\\") {
                return Err(self.error("the closing quote"));
            }
            text.push(self.escape()?);
        }
    }

    fn escape(&mut self) -> Result<char, BadJson> {
        let Some(kind) = self.peek() else { return Err(self.error("an escape")) };
        self.at += 1;
        Ok(match kind {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode(),
            _ => {
                self.at -= 1;
                return Err(self.error("an escape"));
            }
        })
    }

    fn unicode(&mut self) -> Result<char, BadJson> {
        let at = self.at;
        let first = self.hex()?;
        let unit = match first {
            0xD800..=0xDBFF => {
                if !self.take("\\u") {
                    return Err(BadJson::LoneSurrogate { at });
                }
                let second = self.hex()?;
                if !(0xDC00..=0xDFFF).contains(&second) {
                    return Err(BadJson::LoneSurrogate { at });
                }
                0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)
            }
            _ => first,
        };
        // Only the second half of a pair is left as no character.
        char::from_u32(unit).ok_or(BadJson::LoneSurrogate { at })
    }

    fn hex(&mut self) -> Result<u32, BadJson> {
        let digits = self.rest().get(..4).ok_or_else(|| self.error("four hexadecimal digits"))?;
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(self.error("four hexadecimal digits"));
        }
        let unit = u32::from_str_radix(digits, 16).map_err(|_| self.error("four hexadecimal digits"))?;
        self.at += 4;
        Ok(unit)
    }
}
