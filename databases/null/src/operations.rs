//! Operations on documents, each by itself.

use async_trait::async_trait;
use hoap_database::engine::{Done, OpenTransaction, Read, Session, Transactions};
use hoap_database::{Access, Condition, Find, Patch, Patched, Row};
use hoap_record::witness::Level;
use serde_json::Value;

use super::{Null, NullSession};

#[async_trait]
impl Transactions for Null {
    fn isolation(&self) -> Option<Level> {
        None
    }

    fn answers(&self) -> bool {
        false
    }

    async fn transaction_session(&self) -> Done<Box<dyn Session>> {
        Ok(Box::new(self.session()))
    }
}

#[async_trait]
impl Session for NullSession {
    async fn begin<'a>(&'a mut self, _: Access) -> Done<Box<dyn OpenTransaction + 'a>> {
        Ok(Box::new(Each(self)))
    }
}

/// No transaction: each operation by itself.
struct Each<'a>(&'a NullSession);

#[async_trait]
impl OpenTransaction for Each<'_> {
    fn is_over(&self) -> bool {
        false
    }

    async fn get(&mut self, read: Read<'_>) -> Done<Vec<Option<Row>>> {
        self.0.operation().await;
        Ok(vec![Some(vec![Value::Null; read.fields.len()]); read.keys.len()])
    }

    async fn find(&mut self, _: Find<'_>) -> Done<Vec<(String, Row)>> {
        self.0.operation().await;
        Ok(Vec::new())
    }

    async fn insert(&mut self, _: &str, _: &[(&str, &Value)]) -> Done<()> {
        self.0.operation().await;
        Ok(())
    }

    async fn put(&mut self, _: &str, _: &str, _: &Value) -> Done<()> {
        self.0.operation().await;
        Ok(())
    }

    async fn patch(
        &mut self,
        _: &str,
        _: &str,
        _: &[Patch<'_>],
        _: &[Condition<'_>],
    ) -> Done<Patched> {
        self.0.operation().await;
        Ok(Patched::Done)
    }

    async fn delete(&mut self, _: &str, _: &str) -> Done<bool> {
        self.0.operation().await;
        Ok(true)
    }

    async fn commit(&mut self) -> Done<()> {
        Ok(())
    }

    async fn rollback(&mut self) -> Done<()> {
        Ok(())
    }
}
