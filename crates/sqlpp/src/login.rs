//! Authentication: user, password and certificate, as in the URLs of all of Couchbase's services.

use hoap_database::url::Parts;

use super::{Credentials, Tls};

/// The meaning of option `tls_cert`.
pub const TLS_CERT: &str = "file with the certificate (PEM) that this client shows in place \
                                   of user and password; wants tls_key";

/// The meaning of option `tls_key`.
pub const TLS_KEY: &str = "file with that certificate's private key (PEM)";

/// The meaning of option `password_file`.
pub const PASSWORD_FILE: &str = "file whose first line is the password; else it is in CB_PASSWORD";

impl Tls {
    /// What is wrong with options that do not go together; `tls` is whether the URL's scheme has
    /// it.
    pub fn check(&self, tls: bool, scheme: &str) -> Result<(), String> {
        let Tls { ca, cert, key } = self;
        if !tls && [ca, cert, key].iter().any(|file| !file.is_empty()) {
            return Err(format!("tls_ca, tls_cert and tls_key want {scheme}://"));
        }
        if cert.is_empty() != key.is_empty() {
            return Err("tls_cert and tls_key go together".to_owned());
        }
        Ok(())
    }
}

/// User and password that a URL names. Empty is what it does not say.
pub struct Named {
    user: String,
    password: String,
}

/// Why there is nobody who asks, and what to do about it.
pub type Refusal = (String, &'static str);

impl Named {
    /// Those of a URL.
    pub fn of(url: &Parts) -> Named {
        Named { user: url.user.clone(), password: url.password.clone() }
    }

    /// Adds what the URL leaves to a file, and to `CB_USERNAME` and `CB_PASSWORD` of the
    /// environment, the names that Couchbase's own tools use. `None` where nobody is named, and
    /// where a certificate stands for the user.
    ///
    /// # Errors
    /// There is a user and no password, the file cannot be read, or a certificate and a user are
    /// named.
    pub fn complete(
        self,
        tls: &Tls,
        password_file: &str,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Option<Credentials>, Refusal> {
        let Named { user, password } = self;
        if !tls.cert.is_empty() {
            return match user.is_empty() && password.is_empty() && password_file.is_empty() {
                true => Ok(None),
                false => Err((
                    "tls_cert stands for user and password".to_owned(),
                    "leave out one or the other",
                )),
            };
        }
        let given = |name: &str| environment(name).filter(|value| !value.is_empty());
        let user = Some(user).filter(|user| !user.is_empty()).or_else(|| given("CB_USERNAME"));
        let Some(user) = user else { return Ok(None) };
        let password = match (password.is_empty(), password_file) {
            (false, _) => password,
            (true, "") => given("CB_PASSWORD").unwrap_or_default(),
            (true, path) => {
                let text = hoap_record::input::text(path.as_ref()).map_err(|e| {
                    (format!("option `password_file`: {path}: {e}"), "name one that can be read")
                })?;
                text.lines().next().unwrap_or_default().to_owned()
            }
        };
        match password.is_empty() {
            false => Ok(Some(Credentials { user, password })),
            true => Err((
                "no password is given".to_owned(),
                "set CB_PASSWORD, or name a file with it: password_file",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(info: &str, tls: &Tls, names: &[&str]) -> Result<Option<Credentials>, Refusal> {
        let environment = |name: &str| names.contains(&name).then(|| format!("{name}!"));
        let url = format!("couchbase://{info}@h");
        Named::of(&Parts::of(&url).unwrap()).complete(tls, "", &environment)
    }

    #[test]
    fn users_and_passwords_are_taken_from_the_url_and_the_environment() {
        let plain = Tls::default();
        let all = ["CB_USERNAME", "CB_PASSWORD"];
        for (info, names, user, password) in [
            ("us%2Fer:p%40s%3As%25", &all[..], "us/er", "p@s:s%"),
            ("me:a:b", &[], "me", "a:b"),
            ("me", &all, "me", "CB_PASSWORD!"),
            ("", &all, "CB_USERNAME!", "CB_PASSWORD!"),
            (":secret", &all, "CB_USERNAME!", "secret"),
            ("%C3%A9:%E9%9B%AA", &[], "é", "雪"),
        ] {
            let found = from(info, &plain, names).unwrap().unwrap();
            assert_eq!((&*found.user, &*found.password), (user, password), "{info}");
        }
        assert!(from("", &plain, &["CB_PASSWORD"]).unwrap().is_none());
        assert!(from("me", &plain, &[]).unwrap_err().0.contains("no password"));
    }

    #[test]
    fn a_certificate_stands_for_the_user_and_does_not_go_beside_one() {
        let tls = Tls { cert: "c.pem".into(), key: "k.pem".into(), ..Tls::default() };
        assert!(from("", &tls, &["CB_USERNAME", "CB_PASSWORD"]).unwrap().is_none());
        for info in ["me", "me:secret", ":secret"] {
            let (why, _) = from(info, &tls, &[]).unwrap_err();
            assert!(why.contains("tls_cert stands for") && !why.contains("secret"), "{why}");
        }
        assert_eq!(tls.check(true, "couchbases"), Ok(()));
        assert!(tls.check(false, "couchbases").unwrap_err().contains("want couchbases://"));
        let half = Tls { cert: "c.pem".into(), ..Tls::default() };
        assert!(half.check(true, "couchbases").unwrap_err().contains("go together"));
    }
}
